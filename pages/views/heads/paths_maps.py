"""Paths from one head to another as pictures and as numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.heads import Head, Kind, Side, Site
from core.inspection import Inspection
from core.studies.effects.path_study import PathStudy
from core.tokenizer import Token
from core.words import written_words
from pages.frame.language import N_, _, brief, number, percent
from pages.frame.view import Columns
from viz.charts.curves import Chart, Quantity
from viz.charts.wiring import Line, Point, wiring
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix

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
_FEW = 12
"""So many receivers have room for a number in each cell."""


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """All direct paths, and what their cells show."""

    study: PathStudy
    inspection: Inspection
    """Of the first sentence."""
    log_p_NN: NDArray[np.float64] | None
    """By how much log p changes with each path, in nats; None where the rows are shown instead."""
    second: tuple[str, ...] = ()
    """The tokens of the second sentence, special ones among them."""

    @property
    def typed(self) -> Side:
        """Which tokens are the sentence's: a decoder alone is fed them."""
        return "source" if self.study.clean.source_ids else "target"

    @property
    def change_NN(self) -> NDArray[np.float64]:
        """What the cells show."""
        return self.study.effects.moved_NN if self.log_p_NN is None else self.log_p_NN

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


def ranked(paths: Paths, selected: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the rows and columns of the paths with the largest changes, and of the chosen one."""
    effects = paths.study.effects
    size_NN = np.where(effects.direct_NN, np.abs(paths.change_NN), -1)
    order = np.argsort(-size_NN, axis=None, kind="stable")[: min(N_RANKED, effects.direct_NN.sum())]
    found = [divmod(int(at), len(effects.heads)) for at in order]
    return found if selected in found else [*found[:-1], selected]


def links(paths: Paths, selected: tuple[int, int]) -> Chart:
    """Return the heads of the paths with the largest changes, joined; the chosen one is marked."""
    heads, found = paths.study.effects.heads, ranked(paths, selected)
    columns = _columns(heads, {at for ends in found for at in ends})
    placed = [at for each in columns.values() for at in each]
    numbers_of = {at: place for place, at in enumerate(placed)}
    token = paths.study.token.text
    largest = max((float(paths.change_NN[ends]) for ends in found), key=abs)
    if paths.log_p_NN is None:
        value = Quantity(_("share of a word’s attention that moves"), share=True)
        note = _("The thicker, the more of a row moves: at most {most}")
        most = percent(largest)
    else:
        value = Quantity(_("change of log p(“{token}”), nats").format(token=token))
        note = _("The thicker, the more log p(“{token}”) changes: up to {most}")
        most = number(largest)
    if len(columns) < len({head.site for head in heads}):
        note += "\n" + _("Layers without a line are left out")
    return wiring(
        {
            _(_COLUMNS[site.attention]).format(layer=site.layer): [_point(heads[at]) for at in each]
            for site, each in columns.items()
        },
        [
            Line(numbers_of[row], numbers_of[column], float(paths.change_NN[row, column]))
            for row, column in found
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


def map_of(paths: Paths, selected: tuple[int, int]) -> Matrices:
    """Return senders × receivers; whoever has no direct path to anybody is left out."""
    effects = paths.study.effects
    rows, columns = _ends(paths)
    values = paths.change_NN[np.ix_(rows, columns)].astype(np.float32)
    by_log_p = paths.log_p_NN is not None
    few = len(columns) <= _FEW
    panel = Matrix(
        title=_("All of them: who wrote (row) → who reads (column)"),
        values=values,
        visible=effects.direct_NN[np.ix_(rows, columns)],
        rows=_axis(_("sender"), [effects.heads[row] for row in rows]),
        columns=_axis(_("receiver"), [effects.heads[column] for column in columns]),
        scale="signed" if by_log_p else "weight",
        limit=float(np.abs(values).max()) or 1.0,
        texts=[[brief(value) for value in line] for line in values.tolist()] if few else None,
        details=[[_detail(paths, row, column) for column in columns] for row in rows],
        hidden=_("no direct path"),
        note=_("Heads are called by stack, layer and number; cross: cross-attention."),
        value_name=_("change of log p, nats") if by_log_p else _("share of the row that moves"),
    )
    row, column = selected
    return Matrices(panels=[panel], selected=(0, rows.index(row), columns.index(column)))


def path_at(paths: Paths, row: int, column: int) -> tuple[Head, Head]:
    """Return the sender and the receiver of a cell of the map."""
    rows, columns = _ends(paths)
    heads = paths.study.effects.heads
    return heads[rows[row]], heads[columns[column]]


def numbers(paths: Paths) -> Columns:
    """Return a row for each direct path."""
    effects = paths.study.effects
    places = list(zip(*map(np.ndarray.tolist, effects.direct_NN.nonzero()), strict=True))
    looks = [
        paths.look(effects.heads[at[1]], int(effects.query_NN[at]), int(effects.key_NN[at]))
        for at in places
    ]
    changes_NN = paths.log_p_NN
    return {
        "sender": [str(effects.heads[row]) for row, _column in places],
        "receiver": [str(effects.heads[column]) for _row, column in places],
        "moved": [float(effects.moved_NN[at]) for at in places],
        "query": [int(effects.query_NN[at]) for at in places],
        "query_token": [query for query, _key in looks],
        "key": [int(effects.key_NN[at]) for at in places],
        "key_token": [key for _query, key in looks],
        "before": [float(effects.before_NN[at]) for at in places],
        "after": [float(effects.after_NN[at]) for at in places],
        "log_p_change": [None if changes_NN is None else float(changes_NN[at]) for at in places],
    }


def _axis(name: str, heads: list[Head]) -> Axis:
    return Axis(name=name, labels=[TokenLabel(short(head)) for head in heads])


def _ends(paths: Paths) -> tuple[list[int], list[int]]:
    """Return the places of those heads that send to anybody, and of those that receive."""
    direct_NN = paths.study.effects.direct_NN
    rows, columns = (np.flatnonzero(direct_NN.any(axis=axis)).tolist() for axis in (1, 0))
    return rows, columns


def _detail(paths: Paths, row: int, column: int) -> str:
    """Return which look a path changes most."""
    effects, at = paths.study.effects, (row, column)
    if not effects.moved_NN[at]:
        return ""
    query, key = paths.look(
        effects.heads[column], int(effects.query_NN[at]), int(effects.key_NN[at])
    )
    return _("“{query}” at “{key}”: {before} → {after}").format(
        query=query,
        key=key,
        before=percent(effects.before_NN[at]),
        after=percent(effects.after_NN[at]),
    )
