"""The word that a visitor has pinned: the same one in every view that has it.

The address names it by its side and its place among the sentence's tokens, also where a view merges
them to words.
"""

from collections import Counter
from collections.abc import Mapping
from functools import partial

from core.heads import Kind, Side
from core.inspection import Inspection
from core.studies.heads.findings import pronouns_among
from pages.frame import address, clicks, controls, session
from pages.frame.language import _
from pages.frame.opening import Opened
from pages.frame.positions import position
from pages.frame.visit import current

_SOURCE: Side = "source"


def place(
    opened: Opened, inspection: Inspection, kind: Kind | None = None
) -> tuple[Side, int] | None:
    """Return side and place of the pinned word; None where none is, or the sentence is another.

    Args:
        opened: The run and the sentence.
        inspection: Between its tokens, or merged to words: what places count.
        kind: Of attention, if one is shown: older links say "query" and "key" for a side of it.
    """
    _let_go_of_others(opened)
    # Both are read in any case: the address goes on naming a word that this view does not have.
    named, written = address.linked(session.SIDE), address.linked(session.TOKEN)
    side = _sides(kind).get(named or "")
    if side is None:
        return None
    tokens = opened.inspection.tokens_of(side)
    at = position(written, len(tokens))
    if at is None:
        for name in (session.SIDE, session.TOKEN):
            address.show(name, None)
        return None
    return side, at if inspection is opened.inspection else tokens[at].word


def _let_go_of_others(opened: Opened) -> None:
    """Let go of a word of another sentence; one of the source stays where both begin alike."""
    tokens = [token.text for token in opened.inspection.source_tokens]
    owners, owner = current().owners, "\n".join(tokens)
    at = position(address.text_of(session.TOKEN), len(tokens))
    if at is not None and address.text_of(session.SIDE) == _SOURCE:
        before = owners.get(session.TOKEN, owner).split("\n")
        if before[: at + 1] == tokens[: at + 1]:
            owners[session.TOKEN] = owner
    address.belongs_to(session.TOKEN, owner)


def row(opened: Opened, inspection: Inspection, side: Side, kind: Kind | None = None) -> int | None:
    """Return the place of the pinned word; None where none of this side is."""
    found = place(opened, inspection, kind)
    return found[1] if found and found[0] == side else None


def pronoun(opened: Opened, inspection: Inspection) -> int | None:
    """Return the place of the source's first pronoun, or of its first piece; None without one."""
    words = [word.lower() for word in opened.inspection.source_words]
    pronouns = pronouns_among(opened.task, words)
    if pronouns:
        word = words.index(pronouns[0])
        return [token.word for token in inspection.source_tokens].index(word)
    found = _it(opened, inspection)
    return found[1] if found and found[0] == "source" else None


def followed(opened: Opened, inspection: Inspection) -> tuple[Side, int] | None:
    """Return the first pronoun of what the model is given, also of a decoder alone; else None."""
    found = pronoun(opened, inspection)
    return _it(opened, inspection) if found is None else ("source", found)


def _it(opened: Opened, inspection: Inspection) -> tuple[Side, int] | None:
    """Return where “it” stands in what an opened model is given, of whose task nothing is known."""
    if not opened.run.settings.is_opened:
        return None
    side: Side = "source" if inspection.source_tokens else "target"
    tokens = opened.inspection.tokens_of(side)
    n_of_word = Counter(token.word for token in tokens)
    its = [each.word for each in tokens if each.text.lower() == "it" and n_of_word[each.word] == 1]
    words = [token.word for token in inspection.tokens_of(side)]
    return (side, words.index(its[0])) if its and its[0] in words else None


def ask(opened: Opened, side: Side, name: str, default: int | None = None) -> int:
    """Ask for a position, whose token is pinned.

    Args:
        opened: The run and the sentence.
        side: Whose tokens they are.
        name: Of the choice in older links.
        default: Where nothing is pinned; None for the first pronoun, or else the first token.
    """
    inspection = opened.inspection
    if default is None:
        default = (pronoun(opened, inspection) if side == "source" else None) or 0
    pinned = row(opened, inspection, side)
    return controls.number(
        _("position"),
        len(inspection.tokens_of(side)),
        default if pinned is None else pinned,
        name,
        then=partial(_take_number, name, side),
    )


def _take_number(name: str, side: Side) -> None:
    choose(side, address.text_of(name), {name: None})


def choose(side: Side | None, token: object, besides: Mapping[str, object] | None = None) -> None:
    """Pin a token, or let go where it is None; only for callbacks.

    Args:
        side: Whose it is.
        token: Its place among the sentence's tokens.
        besides: What else is chosen with it.
    """
    named = None if token is None else side
    address.choose({session.SIDE: named, session.TOKEN: token, **(besides or {})})


def take(opened: Opened, inspection: Inspection, key: str, kind: Kind | None = None) -> None:
    """Take over what was pinned in a component, `{"side": …, "index": …}`, or that nothing is.

    Args:
        opened: The run and the sentence.
        inspection: What the component shows of it.
        key: The component's.
        kind: Of attention, where the component calls its sides "query" and "key".
    """
    pick = clicks.picked(key, "pin")
    if not pick:
        return
    side, at = _sides(kind).get(pick["side"] or ""), pick["index"]
    if side is not None and at is not None and inspection is not opened.inspection:
        at = [token.word for token in opened.inspection.tokens_of(side)].index(at)
    # Where both columns hold the same words the address says which of them was clicked.
    is_key = pick["side"] == "key" and kind is not None and kind.is_self
    choose(side, at, {session.COLUMN: "key" if is_key else None})


def _sides(kind: Kind | None) -> Mapping[str, Side]:
    sides: dict[str, Side] = {"source": "source", "target": "target"}
    if kind is not None:
        sides |= {"query": kind.query_side, "key": kind.key_side}
    return sides
