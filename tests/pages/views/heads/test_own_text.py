import shutil

import pytest

from core.evaluate.evaluation import held_out_pairs
from core.runs.own_text import give_text, text_of
from core.runs.run import load_run
from core.studies.heads.question import Role
from core.studies.heads.text_roles import text_roles
from pages import heads
from pages.frame.language import percent
from tests.pages.conftest import component, said
from tests.viz.unpacked import unpack_matrices as unpack

LINES = ["the animal and the street", "the animal is tired", "did not cross it", "it is the animal"]


@pytest.fixture
def own_models(opened_path, tmp_path, elsewhere):
    """Return a function that puts an opened model among the visitor's runs."""
    elsewhere("OWN", tmp_path)

    def put(kind, content=None):
        shutil.copytree(opened_path(kind), tmp_path / kind)
        if content:
            give_text(tmp_path / kind, content.encode(), "lines")
        return tmp_path / kind

    return put


@pytest.mark.parametrize("kind", ["bert", "gpt2"])
def test_lines_that_were_given_come_first(open_page, own_models, kind):
    run = load_run(own_models(kind, "\n".join(LINES)))
    at = open_page("heads", trial="roles", model=f"runs/{kind}", text_role="previous")
    found = text_roles(run, "own").scores[Role.PREVIOUS]
    best = max(found, key=lambda head: found[head].value)
    assert f"gives **{percent(found[best].value)}**" in said(at)
    assert "In 4 lines of your own." in said(at)
    maps = unpack(component(at, "matrices").bytes)
    values = [each for panel in maps.panels for each in panel.values.reshape(-1).tolist()]
    assert values == pytest.approx([found[head].value for head in sorted(found)], abs=1e-6)


PAIRS = "the animal\tla rue\nit was too tired\til dormait\nthe street\tl'été dernier\n"


@pytest.mark.slow
@pytest.mark.parametrize("trial", [each.name for each in heads.VIEWS])
def test_a_translator_with_pairs_is_measured_on_them(open_page, own_models, taken, trial):
    run = load_run(own_models("marian", PAIRS))
    assert len(held_out_pairs(run, 10, 0)) == 3
    at = open_page("heads", trial=trial, model="runs/marian")
    assert not at.exception
    assert "nobody here knows on which task" not in said(at)
    # Nobody knows what it learned from, and there are no more than three.
    assert "held-out" not in said(at)
    assert "400" not in "".join(each.label for each in [*at.button, *at.toggle])
    if trial == "roles":
        assert "on 3 pairs of your own" in taken[-1].how_to_read
    if trial == "silence":
        assert "Measure all heads on 3 pairs of your own" in [each.label for each in at.button]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "content"), [("marian", PAIRS), ("gpt2", "\n".join(LINES))], ids=["pairs", "lines"]
)
def test_text_that_was_given_stands_there_is_changed_and_taken_back(
    open_page, own_models, kind, content
):
    path = own_models(kind, content)
    at = open_page("heads", trial="roles", model=f"runs/{kind}")
    assert at.text_area("own_text_typed").value == content.rstrip("\n")
    changed = content.rstrip("\n").replace("street", "road")
    at.text_area("own_text_typed").set_value(changed).run()
    [button] = [each for each in at.button if each.label == "Measure on it"]
    button.click().run()
    assert at.text_area("own_text_typed").value == text_of(path) == changed
    [button] = [each for each in at.button if each.label == "Take it back"]
    button.click().run()
    assert not at.exception
    assert text_of(path) == ""
    assert at.text_area("own_text_typed").value == ""
    assert not [each for each in at.button if each.label == "Take it back"]
