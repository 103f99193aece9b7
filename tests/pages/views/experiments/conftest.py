import html
import shutil
from dataclasses import replace

import pytest

from core.studies.experiments import results as of_results
from core.studies.experiments.results import Results, Tried
from pages.views.experiments import question
from tests.core.studies.experiments.test_results import ONE
from tests.pages.conftest import unfold


@pytest.fixture
def open_experiment(open_page, taken):
    """Return a function that opens a question: the page, what it shows and all that it says.

    What came out with intervals is only made where it is unfolded.
    """

    def opener(name, *, unfolded=False, **query):
        at = open_page("experiments", experiment=name, model=None, **query)
        at = unfold(at, "intervals") if unfolded else at
        said = "\n".join(each.value for each in [*at.markdown, *at.caption, *at.info, *at.warning])
        return at, taken[-1] if taken else None, html.unescape(said).replace("\u00a0", " ")

    return opener


@pytest.fixture
def measured_here(own_runs):
    """Return a function that keeps results of a question that was run here, with two seeds.

    It takes the question and variant → what was measured of it, and returns their folder.
    """

    def keep(name, variants):
        folder = own_runs / ".experiments" / name
        folder.mkdir(parents=True)
        curve = {"step": [1.0], "loss": [2.0], "held_out_exact_match": [0.1]}
        trained = [
            replace(ONE, variant=variant, seed=seed, curve=curve, **measured)
            for variant, measured in variants.items()
            for seed in (0, 1)
        ]
        # Trained for longer, the base does no better.
        longer = Tried("base", 1.0, 4, 0.1, variants.get("base", {}).get("exact_match", 0.5))
        Results(name, tuple(trained), tried=(longer,)).save(folder / f"{name}.json")
        return folder

    return keep


@pytest.fixture
def ran_here(own_runs):
    """The folder of an experiment that was run here: the shipped results under it."""
    folder = own_runs / ".experiments" / "residuals"
    folder.mkdir(parents=True)
    shutil.copy(of_results.SHIPPED / "residuals.json", folder)
    assert question.own_folder(question.EXPERIMENTS["residuals"]) == folder
    return folder
