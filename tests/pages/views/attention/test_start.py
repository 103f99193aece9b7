import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.heads.findings import best_pronoun_head
from core.tasks import TASKS
from pages.frame import tour
from pages.frame.language import percent
from pages.frame.service import Service
from pages.frame.tour import EXAMPLE
from pages.views.attention import start
from tests.pages.conftest import ROOT
from tests.viz.unpacked import unframed

TIRED, WIDE = (example.source for example in TASKS["everyday"].examples[:2])


@pytest.fixture
def open_at():
    """Return a function that opens the app at an address."""

    def opener(**query_params):
        at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        at.query_params.update(query_params)
        at.run()
        assert not at.exception, at.exception
        return at

    return opener


def is_start(at):
    return start.TYPE in [each.key for each in at.button]


def picture(at):
    [element] = at.get("bidi_component")
    return unframed(element.proto.bytes)[0]


@pytest.mark.parametrize(
    ("sentence", "antecedent", "pronoun"), [(TIRED, "animal", "il"), (WIDE, "street", "elle")]
)
def test_it_shows_where_the_head_looks_and_the_step_that_writes_the_pronoun(
    open_at, sentence, antecedent, pronoun
):
    at = open_at()
    at.segmented_control[0].set_value(sentence).run()
    run = load_run(ROOT / "gallery" / "everyday")
    head = best_pronoun_head(run).head
    inspection = inspect_sentence(run, sentence)
    words = [token.text for token in inspection.source_tokens]
    weights_K = inspection.attention[head.site].weights_HQK[head.index, words.index("it")]
    assert words[int(np.argmax(weights_K))] == antecedent
    shown = picture(at)
    said = f"“it” looks at “{antecedent}” with {percent(float(weights_K.max()))} of its attention"
    assert shown["title"].startswith(said)
    # It did not find that by itself, and nobody shall think so.
    assert shown["title"].endswith("layer 2, head 0, trained for it")
    assert shown["focus"] == words.index("it")
    assert shown["best"][shown["step"] - 1][0][0] == pronoun
    assert any("→" in each.value for each in at.markdown)
    assert any("Tatoeba" in each.value for each in at.caption)


def test_whoever_types_their_own_goes_on_with_the_sentence(open_at):
    at = open_at()
    at.segmented_control[0].set_value(WIDE).run()
    assert is_start(at)
    at.button(key=start.TYPE).click().run()
    assert not is_start(at)
    assert at.text_input[0].value == WIDE
    assert at.query_params["view"] in ("pass", ["pass"])
    at.run()
    assert not is_start(at)


@pytest.mark.parametrize("query", [{"view": "maps"}, {"sentence": "A b."}, {"model": "copy"}])
def test_whoever_comes_by_a_link_goes_straight_to_the_view(open_at, query):
    assert not is_start(open_at(**query))


@pytest.fixture
def begins_with(monkeypatch, tmp_path):
    """Return a function that says with which tour everybody begins; one is called “monday”."""
    monkeypatch.setattr(tour, "TOURS", tmp_path)
    (tmp_path / "monday.toml").write_text(EXAMPLE)
    gone = []
    monkeypatch.setattr(tour, "go", lambda found, at: gone.append((found.name, at)))

    def begin(name):
        monkeypatch.setattr(Service, "tour", name)
        return gone

    return begin


@pytest.mark.parametrize("name", ["monday", "paper"])
def test_a_begins_with_its_teachers_tour(open_at, begins_with, name):
    gone = begins_with(name)
    at = open_at()
    assert gone == [(name, 0)]
    # Once: whoever leaves it is not led there again.
    at.run()
    assert len(gone) == 1
