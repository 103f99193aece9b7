"""Every view of every page, and the link that opens it."""

from importlib import import_module

import pytest

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


def each_view_of(kinds, cases=CASES):
    """Return each view of each kind of model: two kinds of each view at once, all with `slow`."""
    n = len(kinds)
    return [
        pytest.param(
            *(kind, page, view),
            marks=() if at in {number % n, (number + n // 2) % n} else pytest.mark.slow,
        )
        for at, kind in enumerate(kinds)
        for number, (page, view) in enumerate(cases)
    ]
