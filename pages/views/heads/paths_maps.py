"""The paths to one head as a picture, and what they are called."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.heads import Head, Kind, Side, Site
from core.inspection import Inspection
from core.studies.effects.path_study import PathSenders
from core.tokenizer.tokenizer import Token
from core.tokenizer.words import written_words
from pages.frame.language import N_, _, number, percent
from viz.charts.curves import Chart, Quantity
from viz.charts.wiring import Line, Point, wiring

_SHORT = {
    Kind.ENCODER_SELF: N_("encoder {layer}.{head}"),
    Kind.DECODER_SELF: N_("decoder {layer}.{head}"),
    Kind.CROSS: N_("cross {layer}.{head}"),
}
_COLUMNS = {
    Kind.ENCODER_SELF: N_("encoder\nlayer {layer}"),
    Kind.DECODER_SELF: N_("decoder\nlayer {layer}"),
    Kind.CROSS: N_("cross\nlayer {layer}"),
}
N_RANKED = 8
"""So many paths are drawn."""
_MARKS = ".,;:!?"
_MOST_ROWS = 6
"""Where layers have more heads, only those that a path begins or ends at are drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """All direct paths, and what their cells show."""

    study: PathSenders
    inspection: Inspection
    """Of the first sentence."""
    by_log_p: bool
    """Whether the change of log p is shown, and not how far rows move."""
    second: tuple[str, ...] = ()
    """The tokens of the second sentence, special ones among them."""

    @property
    def typed(self) -> Side:
        """Which tokens are the sentence's: a decoder alone is fed them."""
        return "source" if self.study.clean.source_ids else "target"

    @property
    def change_N(self) -> NDArray[np.float64]:
        """What is shown of each sender."""
        return self.study.log_p_change_N if self.by_log_p else self.study.moved_N

    @property
    def strongest(self) -> int:
        """The sender with the largest change, up or down."""
        return int(np.abs(self.change_N).argmax())

    @property
    def difference(self) -> tuple[str, str] | None:
        """The word that differs, in the first sentence and in the second; None for several."""
        first, second = (
            written_words(each.source) for each in (self.study.clean, self.study.other)
        )
        differing = [pair for pair in zip(first, second, strict=False) if pair[0] != pair[1]]
        if len(first) != len(second) or len(differing) != 1:
            return None
        one, other = (word.strip(_MARKS) for word in differing[0])
        return one, other

    def tokens(self, side: Side) -> tuple[Token, ...]:
        """Return the tokens of one side that the model is given."""
        tokens = self.inspection.tokens_of(side)
        given = self.study.clean.n_given + 1
        return tokens[: given + self.study.step] if side == "target" else tokens

    def look(self, receiver: Head, query: int, key: int) -> tuple[str, str]:
        """Return the token that looks, and the one that is looked at."""
        query_side, key_side = receiver.kind.sides
        return self.tokens(query_side)[query].text, self.tokens(key_side)[key].text


def ranked(paths: Paths, selected: int) -> list[int]:
    """Return the senders with the largest changes, and the chosen one."""
    order = np.argsort(-np.abs(paths.change_N), kind="stable")[:N_RANKED]
    found = [int(at) for at in order]
    return found if selected in found else [*found[:-1], selected]


def links(paths: Paths, selected: int) -> Chart:
    """Return the senders with the largest changes, joined to the reader; the chosen is marked."""
    heads, found = (*paths.study.senders, paths.study.receiver), ranked(paths, selected)
    columns = _columns(heads, {*found, len(heads) - 1})
    placed = [at for each in columns.values() for at in each]
    numbers_of = {at: place for place, at in enumerate(placed)}
    token = paths.study.token.text
    largest = max((float(paths.change_N[at]) for at in found), key=abs)
    if paths.by_log_p:
        value = Quantity(_("change of log p(“{token}”), nats").format(token=token))
        note = _("The thicker, the more log p(“{token}”) changes: up to {most}")
        most = number(largest)
    else:
        value = Quantity(_("share of a word’s attention that moves"), share=True)
        note = _("The thicker, the more of a row moves: at most {most}")
        most = percent(largest)
    if len(columns) < len({head.site for head in heads}):
        note += "\n" + _("Layers without a line are left out")
    return wiring(
        {
            _(_COLUMNS[site.attention]).format(layer=site.layer): [_point(heads[at]) for at in each]
            for site, each in columns.items()
        },
        [
            Line(numbers_of[at], numbers_of[len(heads) - 1], float(paths.change_N[at]))
            for at in found
        ],
        value=value,
        chosen=found.index(selected),
        title=_("A line: a head reads what an earlier head wrote"),
        note=note.format(most=most, token=token),
    )


def _point(head: Head) -> Point:
    return Point(str(head.index), short(head))


def _columns(heads: Sequence[Head], ends: set[int]) -> dict[Site, list[int]]:
    """Return the places of the heads of those layers in which a path begins or ends."""
    sites = {head.site for head in map(heads.__getitem__, ends)}
    found: dict[Site, list[int]] = {}
    for at, head in enumerate(heads):
        if head.site in sites:
            found.setdefault(head.site, []).append(at)
    if max(map(len, found.values())) <= _MOST_ROWS:
        return found
    return {site: [at for at in each if at in ends] for site, each in found.items()}


def short(head: Head) -> str:
    """Return what a head is called where there is little room."""
    return _(_SHORT[head.kind]).format(layer=head.layer, head=head.index)
