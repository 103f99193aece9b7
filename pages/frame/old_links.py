"""Links to views that were merged into others: they open what shows the same now."""

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlsplit

from pages.frame import links, session

MOVED: Mapping[tuple[str, str], str] = {
    ("attention", "sentence"): "/attention?view=maps#how=largest",
    ("attention", "compare"): "/attention?view=maps#other=sentence",
    ("attention", "pass"): "/",
    ("attention", "heads"): "/heads?trial=roles",
    ("heads", "scores"): "/heads?trial=roles",
    ("heads", "overview"): "/heads?trial=roles",
    ("heads", "card"): "/heads?trial=head",
    ("heads", "alike"): "/heads?trial=head",
    ("heads", "paths"): "/heads?trial=patch",
    ("heads", "prune"): "/heads?trial=silence&silenced=one_by_one",
    ("heads", "guided"): "/attention?view=maps&other=model&model=translate-guided",
    ("experiments", "distances"): "/experiments?outcome=lengths&lengths_by=distance",
    ("experiments", "layers"): "/experiments?outcome=learning&learning_by=layer",
    ("training", "forming"): "/training?training=look_back",
    ("runs", "runs"): "/training?training=runs",
    ("decoding", "output"): "/decoding?decoding=steps&part=output",
    ("decoding", "copying"): "/decoding?decoding=steps&part=copying",
    ("decoding", "passes"): "/decoding?decoding=steps",
    ("masks", "masks"): "/lessons?lessons=masks",
    ("masks", "prefixes"): "/decoding?decoding=cost",
    ("masks", "scores"): "/attention?view=steps&stage=mask",
    ("masks", "without"): "/lessons?lessons=leaks",
    ("positions", "waves"): "/lessons?lessons=positions",
    ("positions", "map"): "/lessons?lessons=positions&positions_shown=table",
    ("positions", "check"): "/lessons?lessons=positions&positions_shown=table",
    ("positions", "dots"): "/lessons?lessons=positions&positions_shown=shift",
    ("positions", "rotation"): "/lessons?lessons=positions&positions_shown=shift",
    ("positions", "learned"): "/lessons?lessons=learned",
    ("positions", "shuffle"): "/lessons?lessons=shuffle",
    ("positions", "norms"): "/lessons?lessons=embedding&embedding_shown=lengths",
    ("scaling", "softmax"): "/lessons?lessons=scaling",
    ("scaling", "variance"): "/lessons?lessons=scaling",
    ("scaling", "jacobian"): "/lessons?lessons=scaling",
    ("scaling", "gradient"): "/lessons?lessons=scaling",
    ("scaling", "heads"): "/lessons?lessons=scaling",
    ("layers", "parts"): "/",
    ("lessons", "parts"): "/",
    ("layers", "vectors"): "/lessons?lessons=embedding",
    ("layers", "stream"): "/lessons?lessons=layers#layers_shown=norm",
    ("layers", "lens"): "/lessons?lessons=layers",
    ("layers", "norms"): "/lessons?lessons=norm",
    ("layers", "units"): "/lessons?lessons=units",
    ("layers", "mixing"): "/lessons?lessons=mixing",
    ("layers", "sides"): "/lessons?lessons=mixing",
    ("layers", "counts"): "/lessons?lessons=counts",
    ("layers", "sizes"): "/lessons?lessons=counts&counts_shown=published",
    ("decoding", "exposure"): "/lessons?lessons=exposure",
}
"""Page and view of older links → a link to where that is now.

After a # stands what it opens with where the older link says nothing else.
"""


def follow(page: str, choice: str, usual: str = "") -> None:
    """Go where a view is now, if the address names one that has moved.

    `choice` chooses the view, in the URL; `usual` is the view of an address that names none.
    """
    asked_for = session.text_of(choice) or usual
    now = MOVED.get((page, asked_for)) or MOVED.get((page, usual))
    if now is None:
        return
    there, query = links.read(now)
    for name, text in parse_qsl(urlsplit(now).fragment):
        query.setdefault(name, session.text_of(name) or text)
    session.choose({choice: None})
    if there == page:
        session.choose(query)
    elif not session.is_way_back():
        asked = {name: list(texts) for name, texts in session.query().items() if name != choice}
        links.go(there, {**asked, **query})


def lead_on(page: str, choice: str, usual: str, label: str) -> None:
    """Draw a page that has moved: go where it is now, or link there on the way back."""
    follow(page, choice, usual)
    there, query = links.read(MOVED[page, usual])
    links.link(there, label, None, query)
