import pytest

from core.heads import Head
from core.inspection import inspect_sentence
from core.runs.checkpoint import stops
from core.runs.run import load_run
from core.studies.heads.evenness import evenness
from core.studies.heads.forming import Forming, forming
from tests.pages.conftest import ROOT

COPY = ROOT / "gallery" / "copy"
HEAD = Head.parse("decoder.0.cross:1")


def test_the_table_holds_the_map_at_the_step_and_the_spread_of_the_layer_at_all_steps():
    steps = stops(COPY)
    at = {step: inspect_sentence(load_run(COPY, step), "a b c") for step in steps}
    columns = forming([*at.values()], steps, HEAD, steps[1]).table()
    rows = list(zip(columns["step"], columns["head"], columns["entropy"], strict=True))
    weights = [each for each in columns["weight"] if each is not None]
    assert weights == at[steps[1]].weights_of(HEAD).reshape(-1).tolist()
    assert rows[0] == (steps[1], str(HEAD), None)
    spread = {row[:2]: row[2] for row in rows if row[2] is not None}
    assert len(spread) == 4 * len(steps)
    last = at[steps[-1]].attention[HEAD.site]
    expected = evenness(last.weights_HQK[1], last.even_QK)
    assert spread[steps[-1], str(HEAD)] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("spread", "sharp_from"),
    [
        ({0: (0.9, 0.8), 100: (0.5, 0.2), 200: (0.2, 0.1), 300: (0.1, 0.1)}, 200),
        ({0: (0.9, 0.8), 100: (0.2, 0.1), 200: (0.3, 0.1)}, None),
        ({0: (0.2, 0.2), 100: (0.1, 0.1)}, 0),
    ],
)
def test_heads_are_sharp_from_the_step_on_after_which_none_spreads_again(spread, sharp_from):
    assert Forming(HEAD, 0, None, spread).sharp_from == sharp_from
