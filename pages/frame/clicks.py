"""What a click in a picture changes: a choice, or the word that is pinned in every view.

The address names a pinned word by its side and its position among the sentence's tokens, also where
a view merges them to words.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from core.heads import Kind, Side
from core.inspection import Inspection
from core.studies.heads import findings
from pages.frame import session
from pages.frame.selection import Opened

_SOURCE: Side = "source"


def picked(key: str, what: str = "pick") -> dict[str, Any]:
    """Return what a component reports in its callback; nothing where it was taken back."""
    return dict(getattr(session.component_value(key), what) or {})


def take(key: str, *names: str) -> None:
    """Choose what was clicked in a component, which reports it under the names of the choices."""
    if pick := picked(key):
        session.choose({name: pick[name] for name in names})


def take_points(key: str, name: str, most: int | None = None) -> None:
    """Choose the points, or the first of them, that were selected in a figure of Plotly."""
    points = session.component_value(key).selection["points"][:most]
    session.choose({name: ",".join(str(point["customdata"]) for point in points) or None})


def pinned(
    opened: Opened, inspection: Inspection, kind: Kind | None = None
) -> tuple[Side, int] | None:
    """Return side and position of the pinned word; None where none is, or the sentence is another.

    Positions are those of the inspection, between tokens or words. Older links say "query" and
    "key" for a side of the `kind` of attention that is shown.
    """
    _unpin_other_sentence(opened)
    # Both are read in any case: the address goes on naming a word that this view does not have.
    named, text = session.linked(session.SIDE), session.linked(session.TOKEN)
    side = _sides(kind).get(named or "")
    if side is None:
        return None
    tokens = opened.inspection.tokens_of(side)
    at = session.position(text, len(tokens))
    if at is None:
        for name in (session.SIDE, session.TOKEN):
            session.show(name, None)
        return None
    return side, at if inspection is opened.inspection else tokens[at].word


def _unpin_other_sentence(opened: Opened) -> None:
    """Unpin a word of another sentence; one of the source stays where both begin alike."""
    tokens = [token.text for token in opened.inspection.source_tokens]
    owners, owner = session.current().owners, "\n".join(tokens)
    at = session.position(session.text_of(session.TOKEN), len(tokens))
    if at is not None and session.text_of(session.SIDE) == _SOURCE:
        before = owners.get(session.TOKEN, owner).split("\n")
        if before[: at + 1] == tokens[: at + 1]:
            owners[session.TOKEN] = owner
    session.belongs_to(session.TOKEN, owner)


def pinned_position(
    opened: Opened, inspection: Inspection, side: Side, kind: Kind | None = None
) -> int | None:
    """Return the position of the pinned word; None where none of this side is."""
    found = pinned(opened, inspection, kind)
    return found[1] if found and found[0] == side else None


def first_pronoun(opened: Opened, inspection: Inspection) -> int | None:
    """Return the position of the source's first pronoun, or its first piece; None without one."""
    found = first_pinned(opened, inspection)
    return found[1] if found and found[0] == _SOURCE else None


def pronoun_step(opened: Opened, written: Sequence[int]) -> int | None:
    """Return the step that writes the first pronoun, from 0; None where it is unknown.

    Args:
        opened: The model and the source.
        written: The ids of all steps.
    """
    run, source = opened.run, opened.inspection.translation.source
    ids = [each for each in written if each not in run.model.config.eos_ids]
    return findings.pronoun_step(opened.task, run.target_tokenizer, source, ids)


def first_pinned(opened: Opened, inspection: Inspection) -> tuple[Side, int] | None:
    """Return the first pronoun of the model's input, also of a decoder alone; None without one.

    Of an opened model, whose task nobody knows, it is “it”.
    """
    words, tokens = opened.inspection.source_words, inspection.source_tokens
    if (position := findings.first_pronoun(opened.task, words, tokens)) is not None:
        return _SOURCE, position
    if not opened.run.settings.is_opened:
        return None
    side: Side = _SOURCE if inspection.source_tokens else "target"
    tokens = opened.inspection.tokens_of(side)
    n_of_word = Counter(token.word for token in tokens)
    its = [each.word for each in tokens if each.text.lower() == "it" and n_of_word[each.word] == 1]
    at_word = [token.word for token in inspection.tokens_of(side)]
    return (side, at_word.index(its[0])) if its and its[0] in at_word else None


def pin(side: Side | None, token: object, besides: Mapping[str, object] | None = None) -> None:
    """Pin a token by its position, or unpin it where that is None; only in callbacks."""
    named = None if token is None else side
    session.choose({session.SIDE: named, session.TOKEN: token, **(besides or {})})


def take_pin(opened: Opened, inspection: Inspection, key: str, kind: Kind | None = None) -> None:
    """Pin the word that was clicked in a component: `{"side": …, "index": …}`, the index or None.

    A component that shows a `kind` of attention calls its sides "query" and "key".
    """
    pick = picked(key, "pin")
    if not pick:
        return
    side, at = _sides(kind).get(pick["side"] or ""), pick["index"]
    if side is not None and at is not None and inspection is not opened.inspection:
        at = [token.word for token in opened.inspection.tokens_of(side)].index(at)
    # Where both columns hold the same words the address says which of them was clicked.
    is_key = pick["side"] == "key" and kind is not None and kind.is_self
    pin(side, at, {session.COLUMN: "key" if is_key else None})


def _sides(kind: Kind | None) -> Mapping[str, Side]:
    sides: dict[str, Side] = {"source": "source", "target": "target"}
    if kind is not None:
        sides |= {"query": kind.query_side, "key": kind.key_side}
    return sides
