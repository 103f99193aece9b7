"""A row of a head whose weight is moved: what it is, its pictures, its numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.heads import Head, Kind
from core.inspection import SiteAttention
from core.studies.effects.ablation import BeforeAfter
from core.studies.effects.overriding import StepChange
from pages.frame import notes, snippets
from pages.frame.language import _
from pages.frame.opening import Opened
from pages.frame.selection import key_axis, key_tokens, query_axis, query_labels, query_tokens
from pages.frame.view import Columns
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """A row of a head, and where its weight goes."""

    opened: Opened
    head: Head
    row: int
    key: int

    @property
    def kind(self) -> Kind:
        """The head's kind of attention."""
        return self.head.kind

    @property
    def attention(self) -> SiteAttention:
        """What the heads of the layer look at."""
        return self.opened.inspection.attention[self.head.site]

    @property
    def weights_QK(self) -> NDArray[np.float32]:
        """The head's map."""
        return self.opened.inspection.weights_of(self.head)

    @property
    def visible_K(self) -> NDArray[np.bool_]:
        """Where the row may look."""
        return self.attention.visible_QK[self.row]


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """What a move does."""

    after_K: NDArray[np.float32]
    """The row as it is made."""
    found: BeforeAfter
    changes: Sequence[StepChange]


def map_of(shown: Moved) -> Matrices:
    """Return the head's map, the cell framed to which weight is moved."""
    inspection, kind = shown.opened.inspection, shown.kind
    panel = Matrix(
        title=notes.site_and_head(shown.head),
        values=shown.weights_QK,
        visible=shown.attention.visible_QK,
        rows=replace(query_axis(inspection, kind), differs=(shown.row,)),
        columns=key_axis(inspection, kind),
        note=_("Choose a cell: its row is made to look there. The chosen row is underlined."),
        value_name=_("weight"),
    )
    return Matrices(panels=[panel], selected=(0, shown.row, shown.key))


def before_and_after(shown: Moved, after_K: NDArray[np.float32]) -> Matrices:
    """Return the row as it is, and as it is made."""
    inspection, row = shown.opened.inspection, shown.row
    label = query_labels(inspection, shown.kind)[row]
    panel = Matrix(
        title=_("The row of “{row}”, before and after").format(row=label.text),
        values=np.stack([shown.weights_QK[row], after_K]),
        visible=np.stack([shown.visible_K] * 2),
        rows=Axis(name=_("row"), labels=(TokenLabel(_("before")), TokenLabel(_("after")))),
        columns=key_axis(inspection, shown.kind),
        value_name=_("weight"),
    )
    return Matrices(panels=[panel], selected=(0, 1, shown.key))


def numbers(shown: Moved, result: Result | None) -> Columns:
    """Return a row for each cell of the map, for the loss, and for each step that changes.

    Args:
        shown: The row.
        result: What the move does; None where the mask does not allow it.
    """
    rows = [*_weights(shown, result)]
    if result:
        found = result.found
        rows.append({"what": "loss", "before": found.before.loss, "after": found.after.loss})
        rows += map(_step, result.changes)
    names = ["what", "row", "row_text", "key", "key_text", "visible", "before", "after", "step"]
    names += ["token", "most_probable_after", "its_probability_before", "its_probability_after"]
    return {name: [row.get(name) for row in rows] for name in names}


def _weights(shown: Moved, result: Result | None) -> list[Mapping[str, object]]:
    inspection, visible_QK = shown.opened.inspection, shown.attention.visible_QK
    queries = query_tokens(inspection, shown.kind)
    keys = key_tokens(inspection, shown.kind)
    return [
        {
            "what": "weight",
            "row": row,
            "row_text": queries[row].text,
            "key": key,
            "key_text": keys[key].text,
            "visible": bool(visible_QK[row, key]),
            "before": float(weight),
            "after": float(result.after_K[key]) if result and row == shown.row else None,
        }
        for (row, key), weight in np.ndenumerate(shown.weights_QK)
    ]


def _step(change: StepChange) -> Mapping[str, object]:
    return {
        "what": "probability",
        "step": change.step,
        "token": change.token.text,
        "before": change.before,
        "after": change.after,
        "most_probable_after": (change.other or change.token).text,
        "its_probability_before": change.other_before,
        "its_probability_after": change.other_after,
    }


def python_of(shown: Moved, result: Result | None, *, everything: bool) -> str:
    """Return what computes `before` and `after` of the numbers.

    Args:
        shown: The row.
        result: What the move does; None where the mask does not allow it.
        everything: Whether all weight of the row is moved.
    """
    imports = ["from core.heads import Head"]
    lines = [
        f'head, row, key = Head.parse("{shown.head}"), {shown.row}, {shown.key}',
        "weights_QK = inspection.weights_of(head)",
        "before, after = weights_QK.reshape(-1).tolist(), []",
    ]
    if result:
        imports += [
            "from core.studies.effects.overriding import override_outcome",
            "from core.studies.effects.overriding import rewired, step_changes",
        ]
        lines += [
            "visible_K = inspection.attention[head.site].visible_QK[row]",
            f"after_K = rewired(weights_QK[row], key, visible_K, everything={everything})",
            "found = override_outcome(run, sentence, head, row, after_K)",
            "changes = step_changes(run, sentence, head, row, after_K)",
            "before += [found.before.loss, *(each.before for each in changes)]",
            "after += after_K.tolist()",
            "after += [found.after.loss, *(each.after for each in changes)]",
        ]
    lines.append('numbers = {"before": before, "after": after}')
    return snippets.inspecting(shown.opened.path, shown.opened.sentence, *imports) + "\n".join(
        [*lines, ""]
    )
