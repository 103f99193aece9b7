"""Links to views that were merged into others: they open what shows the same now."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pages.frame import links, session


@dataclass(frozen=True, slots=True)
class Moved:
    """Where a view is now."""

    page: str
    """Its address; empty for the first page."""
    query: Mapping[str, str]
    """What it opens with, the view among it."""
    usual: Mapping[str, str] = field(default_factory=dict)
    """What it opens with where the link says nothing else."""


def _lesson(view: str, **shown: str) -> Moved:
    return Moved("lessons", {"lessons": view, **shown})


MOVED: Mapping[tuple[str, str], Moved] = {
    ("attention", "sentence"): Moved("attention", {"view": "maps"}, {"how": "largest"}),
    ("attention", "compare"): Moved("attention", {"view": "maps"}, {"other": "sentence"}),
    ("attention", "pass"): Moved("", {}),
    ("attention", "heads"): Moved("heads", {"trial": "roles"}),
    ("heads", "scores"): Moved("heads", {"trial": "roles"}),
    ("heads", "overview"): Moved("heads", {"trial": "roles"}),
    ("heads", "card"): Moved("heads", {"trial": "head"}),
    ("heads", "alike"): Moved("heads", {"trial": "head"}),
    ("heads", "paths"): Moved("heads", {"trial": "patch"}),
    ("heads", "prune"): Moved("heads", {"trial": "silence", "silenced": "one_by_one"}),
    ("heads", "guided"): Moved(
        "attention", {"view": "maps", "other": "model", "model": "translate-guided"}
    ),
    ("experiments", "distances"): Moved(
        "experiments", {"outcome": "lengths", "lengths_by": "distance"}
    ),
    ("experiments", "layers"): Moved(
        "experiments", {"outcome": "learning", "learning_by": "layer"}
    ),
    ("training", "forming"): Moved("training", {"training": "look_back"}),
    ("runs", "runs"): Moved("training", {"training": "runs"}),
    ("decoding", "output"): Moved("decoding", {"decoding": "steps", "part": "output"}),
    ("decoding", "copying"): Moved("decoding", {"decoding": "steps", "part": "copying"}),
    ("decoding", "passes"): Moved("decoding", {"decoding": "steps"}),
    ("masks", "masks"): _lesson("masks"),
    ("masks", "prefixes"): Moved("decoding", {"decoding": "cost"}),
    ("masks", "scores"): Moved("attention", {"view": "steps", "stage": "mask"}),
    ("masks", "without"): _lesson("leaks"),
    ("positions", "waves"): _lesson("positions"),
    ("positions", "map"): _lesson("positions", positions_shown="table"),
    ("positions", "check"): _lesson("positions", positions_shown="table"),
    ("positions", "dots"): _lesson("positions", positions_shown="shift"),
    ("positions", "rotation"): _lesson("positions", positions_shown="shift"),
    ("positions", "learned"): _lesson("learned"),
    ("positions", "shuffle"): _lesson("shuffle"),
    ("positions", "norms"): _lesson("embedding", embedding_shown="lengths"),
    ("scaling", "softmax"): _lesson("scaling"),
    ("scaling", "variance"): _lesson("scaling"),
    ("scaling", "jacobian"): _lesson("scaling"),
    ("scaling", "gradient"): _lesson("scaling"),
    ("scaling", "heads"): _lesson("scaling"),
    ("layers", "parts"): _lesson("parts"),
    ("layers", "vectors"): _lesson("embedding"),
    ("layers", "stream"): Moved("lessons", {"lessons": "layers"}, {"layers_shown": "norm"}),
    ("layers", "lens"): _lesson("layers"),
    ("layers", "norms"): _lesson("norm"),
    ("layers", "units"): _lesson("units"),
    ("layers", "mixing"): _lesson("mixing"),
    ("layers", "sides"): _lesson("mixing"),
    ("layers", "counts"): _lesson("counts"),
    ("layers", "sizes"): _lesson("counts", counts_shown="published"),
    ("decoding", "exposure"): _lesson("exposure"),
}
"""Page and view of older links → where that is now."""


def follow(page: str, choice: str, usual: str = "") -> None:
    """Go where a view is now, if the address names one that has moved.

    `choice` chooses the view, in the URL; `usual` is the view of an address that names none.
    """
    asked_for = session.text_of(choice) or usual
    now = MOVED.get((page, asked_for)) or MOVED.get((page, usual))
    if now is None:
        return
    query = {**_usual(now), **now.query}
    session.choose({choice: None})
    if now.page == page:
        session.choose(query)
    elif not session.is_way_back():
        asked = {name: _asked(name) for name in session.query()}
        asked.pop(choice, None)
        links.go(now.page, {**asked, **query})


def lead_on(page: str, choice: str, usual: str, label: str) -> None:
    """Draw a page that has moved: go where it is now, or link there on the way back."""
    follow(page, choice, usual)
    now = MOVED[page, usual]
    links.link(now.page, label, None, now.query)


def _asked(name: str) -> str | list[str]:
    """Return what a link asks for under a name; several texts as a list."""
    texts = session.texts_of(name) or ("",)
    return texts[0] if len(texts) == 1 else list(texts)


def _usual(now: Moved) -> Mapping[str, str]:
    return {name: text for name, text in now.usual.items() if session.text_of(name) is None}
