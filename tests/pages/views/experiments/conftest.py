import html
import shutil

import pytest

from core.experiments import results as of_results
from pages.views.experiments import question
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
def ran_here(own_runs):
    """The folder of an experiment that was run here: the shipped results under it."""
    folder = own_runs / ".experiments" / "residuals"
    folder.mkdir(parents=True)
    shutil.copy(of_results.SHIPPED / "residuals.json", folder)
    assert question.own_folder(question.EXPERIMENTS["residuals"]) == folder
    return folder
