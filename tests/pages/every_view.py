"""Every view of every page, and the link that opens it."""

from importlib import import_module

PAGES = {
    "attention": "view",
    "heads": "trial",
    "decoding": "decoding",
    "masks": "masks",
    "positions": "positions",
    "scaling": "scaling",
    "layers": "layers",
    "experiments": "outcome",
    "training": "training",
    "runs": "",
}
"""Page → the name of its views in the URL; empty where what is ticked chooses among them."""
ASKED = {
    **{
        ("experiments", name): {"experiment": "residuals"}
        for name in ("answer", "lengths", "learning")
    },
    ("runs", "run"): {"runs": "copy"},
    ("runs", "compare"): {"runs": ["copy", "copy-learned"]},
    ("heads", "prune"): {"model": "copy"},
    ("decoding", "exposure"): {"model": "copy"},
    ("decoding", "passes"): {"model": "parallel"},
    ("decoding", "copying"): {"model": "copying"},
    ("attention", "compare"): {"other_sentence": "The street slept because it was wide."},
}
"""Page and view → what else a link must say for it."""
CASES = [
    (page, each.name)
    for page in PAGES
    for each in getattr(import_module(f"pages.{page}"), "VIEWS", ())
]


def query_of(page, name):
    """Return what a link says that opens a view."""
    query = {PAGES[page]: name} if PAGES[page] else {}
    return query | ASKED.get((page, name), {})
