import numpy as np
import pytest

from core.runs.files import PRUNING
from core.runs.run import load_run
from core.studies.effects import pruning
from core.studies.effects.pruning import PruningPoint, store_pruning
from core.studies.heads.question import heads_of
from pages.frame.language import percent
from pages.views.heads import prune
from tests.pages.conftest import chart_rows, said


@pytest.fixture
def open_prune(open_page, own_copy):
    return lambda: open_page("heads", trial="silence", silenced="one_by_one", model="runs/mine")


@pytest.fixture
def points(own_copy):
    """A curve of the run's heads, stored: without the first nothing is lost, then half."""
    run = load_run(own_copy)
    heads = heads_of(run.model)
    shares = [0.98, 0.975, *np.linspace(0.5, 0.0, len(heads) - 1)]
    found = tuple(
        PruningPoint(head, len(heads) - at, float(share), 0.1, prune.N_PRUNED)
        for at, (head, share) in enumerate(zip([None, *heads], shares, strict=True))
    )
    store_pruning(run, found)
    return found


def test_nothing_is_measured_before_somebody_asks(open_prune, own_copy, monkeypatch):
    (own_copy / PRUNING).unlink()
    started = []
    monkeypatch.setattr(pruning, "start", lambda path, n: started.append((path, n)))
    at = open_prune()
    assert not at.get("vega_lite_chart")
    assert "**What you see:**] Nothing is measured yet: press “Prune”." in said(at)
    at.button(key=prune.START).click().run()
    assert started == [(own_copy, prune.N_PRUNED)]


def test_what_was_measured_is_drawn_and_its_needed_heads_are_counted(open_prune, points):
    at = open_prune()
    drawn = {row["x"]: row["y"] for row in chart_rows(at)}
    assert drawn == {removed: point.exact_match for removed, point in enumerate(points)}
    n = len(points) - 1
    assert (
        f"**What you see:**] **1 of {n} heads can be removed together** with almost no loss: "
        f"{percent(0.975)} of {prune.N_PRUNED} sentences are correct without them, {percent(0.98)} "
        "with all heads"
    ) in said(at)
    assert not [button for button in at.button if button.key == prune.START]
