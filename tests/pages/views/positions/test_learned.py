import numpy as np
import pytest

from core.runs.run import load_run
from pages.frame import cached
from tests.core.studies.lessons.test_positions import with_learned_positions
from tests.pages.conftest import ROOT, said
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.positions.conftest import charted, complaint, panels, set_number, table


def test_learned_positions_stand_beside_sinusoids_of_their_width(open_positions, learned_run):
    at = open_positions("learned", model="translate")
    learned, sinusoids = panels(at)
    own = load_run(learned_run).model.source_embedding.positions_PD.detach().numpy()
    # Training reached 17 positions: three more are shown.
    assert np.array_equal(learned.values, own[:20])
    assert np.abs(sinusoids.values - table(20, 64)).max() < 1e-6
    assert learned.title == "Learned by copy-learned; from row 17 on never trained"
    curves = charted(at)
    for name, vectors in {"learned": own[:20].astype(float), "sinusoids": table(20, 64)}.items():
        unit = vectors / np.linalg.norm(vectors, axis=1)[:, None]
        assert curves[name] == pytest.approx((unit @ unit[8]).tolist(), abs=1e-9)
    assert "Training reached positions 0 to 16 of 512" in said(at)
    assert "**copy&#45;learned** is shown: the chosen model has sinusoids" in said(at)
    assert "position is 20" in complaint(set_number(at, "pe_learned_pos", 20))
    assert panels(set_number(at, "pe_length", 50))[0].values.shape[0] == 50


def test_the_chosen_run_is_shown_where_it_learned_its_positions(open_positions, learned_run):
    at = open_positions("learned", model="mine")
    assert "the chosen model has sinusoids" not in said(at)


def test_without_a_run_that_learned_positions_the_command_is_named(open_page, monkeypatch):
    paths = {"copy": ROOT / "gallery" / "copy"}
    monkeypatch.setattr(cached, "run_paths", lambda: paths)
    at = open_page("positions", positions="learned")
    assert at.code[0].value == (
        "python -m core train runs/learned --task copy --preset tiny --positions learned"
    )


def test_a_damaged_run_is_passed_over_for_the_next(open_positions, tmp_path, monkeypatch):
    damaged, whole = (with_learned_positions(tmp_path / name, 17) for name in ("bad", "good"))
    [weights] = (damaged / "checkpoints").glob("*.safetensors")
    weights.write_bytes(b"nothing")
    paths = {"copy": ROOT / "gallery" / "copy", "bad": damaged}
    monkeypatch.setattr(cached, "run_paths", lambda: paths)
    assert "No run here has learned" in said(open_positions("learned", model="copy"))
    monkeypatch.setattr(cached, "run_paths", lambda: paths | {"good": whole})
    at = open_positions("learned", model="copy")
    assert panels(at)[0].title.startswith("Learned by good;")


def test_a_table_that_nothing_was_learned_in_is_said_to_be_as_it_began(
    open_positions, only_learned
):
    only_learned(trained=0)
    written = said(open_positions("learned", model="mine"))
    assert "No position has changed since training began" in written
    assert "nan" not in written
    assert "to -1" not in written


@pytest.mark.parametrize("width", [7, 1])
def test_learned_positions_of_an_odd_width_stand_alone(open_positions, only_learned, width):
    only_learned(d_model=width)
    at = open_positions("learned", model="mine")
    assert not at.error
    [panel] = panels(at)
    assert panel.values.shape == (20, width)
    assert list(charted(at)) == ["learned"]
    assert f"d_model is {width}" in said(at).replace("&#95;", "_")
    assert "length is 0" in complaint(set_number(at, "pe_length", 0))


def test_a_table_that_ends_before_the_length_says_so(open_positions, only_learned):
    only_learned(max_positions=30)
    at = open_positions("learned", model="mine", pe_length="50")
    assert panels(at)[0].values.shape[0] == 30
    assert "has 30 positions" in said(at)
    assert "has 30 positions" not in said(set_number(at, "pe_length", 30))


def test_a_short_table_opens_on_a_position_that_it_has(open_positions, only_learned):
    only_learned(trained=3, max_positions=5)
    at = open_positions("learned", model="mine", sentence="a b")
    assert not at.error
    assert at.number_input(key="pe_learned_pos").value == 4


@pytest.fixture
def own_learned(own_runs):
    """Return a function that makes runs/mine, whose positions were learned."""
    return lambda **settings: with_learned_positions(own_runs / "mine", 17, **settings)


@pytest.mark.parametrize("width", [64, 7])
def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(
    open_positions, own_learned, handed_over, width
):
    run = own_learned(d_model=width)
    at = open_positions("learned", model="runs/mine", sentence="a b", pe_length="20")
    shown = handed_over[-1]
    assert_takeable(at, shown)
    drawn = [value for panel in panels(at) for value in panel.values.reshape(-1).tolist()]
    assert np.array(numbers_of(shown, "value"), np.float32).tolist() == drawn
    cosines = [value for values in charted(at).values() for value in values]
    assert numbers_of(shown, "cosine") == cosines
    assert computed(shown, run.parent.parent) == numbers_of(shown, "value", "cosine")


def test_the_line_names_the_position_that_looks_most_alike(open_positions, learned_run):
    at = open_positions("learned", model="mine", pe_learned_pos="5")
    run = load_run(learned_run)
    table_PD = run.model.source_embedding.positions_PD.detach().double().numpy()
    unit = table_PD / np.linalg.norm(table_PD, axis=1, keepdims=True)
    n = len(panels(at)[0].rows.labels)
    cosines = (unit @ unit[5])[:n]
    cosines[5] = -2
    most = int(cosines.argmax())
    text = said(at).replace("−", "-")
    # That is no neighbour of it, so that training has not found neighbours.
    assert most not in (4, 6)
    assert f"position 5 looks most like position **{most}**, cosine" in text
    assert f"**{cosines[most]:.2f}**" in text
    assert "The vectors of the others are as they began: random" in text
