"""Every view of every page, the link that opens it, and the models that it shows."""

from functools import cache
from importlib import import_module

from core.runs.run import read_settings
from pages.frame import links
from pages.frame.cached import GALLERY
from pages.frame.needs import missing

VIEWS = {
    (page, view.name): view
    for page in links.PAGES
    for view in getattr(import_module(f"pages.{page}"), "VIEWS", ())
}
"""Page and name → view."""
CASES = list(VIEWS)
FIRST = dict(reversed(CASES))
"""Page → its first view: of what walks for long, one of each page is tried at once."""
CHOICES = {"whole": "pass", "attention": "view", "heads": "trial", "experiments": "outcome"}
"""Page → the name of its views in the URL, where it is not the page's own."""
PAGES = {page: CHOICES.get(page, page) for page, _ in CASES}
"""Page → the name of its views in the URL."""
ASKED = {"heads": {"model": "copy"}, "experiments": {"experiment": "residuals"}}
"""Page → what else a link must say, so that each of its views has something to show, and soon."""
MODELS = ("translate-guided", "copying", "copy", "parallel")
"""The first of the gallery to show a view on; each is of another kind."""


def query_of(page, name):
    """Return what a link says that opens a view on a model that has what the view is about."""
    query = {PAGES[page]: name}
    [model, *_] = fitting(page, name)
    return query | ({} if model == MODELS[0] else {"model": model}) | ASKED.get(page, {})


def fitting(page, name):
    """Return the gallery's models that have what a view is about."""
    needs = VIEWS[page, name].needs
    return [
        run
        for run in sorted(
            settings(), key=lambda run: MODELS.index(run) if run in MODELS else len(MODELS)
        )
        if not missing(settings()[run], needs)
    ]


@cache
def settings():
    """Return the settings of the gallery's runs, by their names in order."""
    runs = sorted(path.parent.name for path in GALLERY.glob("*/run.json"))
    return {run: read_settings(GALLERY / run) for run in runs}
