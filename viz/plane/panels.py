"""What every payload of `viz.plane` holds: panels of rows × columns, and their numbers.

The header (`viz.component.payload`) holds everything but numbers; `arrays` says which ones follow,
each from a multiple of 4 on, and panels name theirs by place.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from viz.component.assets import Assets, assets_of, joined
from viz.component.payload import TokenLabel, framed, padded, read_label, unframed, written_label

Array = NDArray[Any]

_NAMED = 15
_TYPES = {"f4": np.float32, "u1": np.uint8}
Side = Literal["source", "target"]
Pin = tuple[Side, int]
"""A word that is kept marked: its side, and its place there."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """What the rows or the columns of a panel are.

    Attributes:
        name: What they stand for, "key: the word looked at".
        labels: One per row or column. Rows of several panels with the same labels are marked
            together.
        side: Tint of the labels' chips; empty for numbers.
        differs: Positions whose labels are underlined: those of another axis are different.
        links: One number per label: positions of axes of the same side that have the same number
            are marked together, whatever their labels; empty where the labels say so.
        then: What each position leads to, one label each, or none.

    Raises:
        ValueError: There is no such side or position, or not one link for each label.
    """

    name: str
    labels: Sequence[TokenLabel]
    side: Literal["source", "target", ""] = ""
    differs: Sequence[int] = ()
    links: Sequence[int] = ()
    then: Sequence[TokenLabel] = ()

    def __post_init__(self) -> None:
        if self.side not in ("source", "target", ""):
            raise ValueError(f"side of {self.name!r} needs source, target or '', got {self.side!r}")
        beyond = set(self.differs) - set(range(len(self.labels)))
        if beyond:
            raise ValueError(f"{self.name!r} has no positions {sorted(beyond)} that could differ")
        if self.links and len(self.links) != len(self.labels):
            raise ValueError(f"{self.name!r} needs {len(self.labels)} links, got {len(self.links)}")


def numbered(name: str, count: int, start: int = 0) -> Axis:
    """Return an axis whose labels count.

    >>> [label.text for label in numbered("position", 3).labels]
    ['0', '1', '2']
    """
    return Axis(name=name, labels=tuple(TokenLabel(str(start + i)) for i in range(count)))


def written_panel(
    *, rows: Axis, columns: Axis, values: int | None, visible: int | None, **named: object
) -> dict[str, Any]:
    """Return a panel as it stands in a header.

    Args:
        rows: What its rows are.
        columns: What its columns are.
        values: Place of its values among the arrays; None if they come later.
        visible: Place of what can be seen; None if everything can.
        named: Everything else that is said of it.
    """
    plain = {"scale": "weight", "limit": 1.0, "texts": None, "details": None, "note": ""}
    return {
        **plain,
        **{"hidden": "", "hidden_value": "", "title": "", "heads": None},
        **named,
        "rows": _written_axis(rows),
        "columns": _written_axis(columns),
        "shape": (len(rows.labels), len(columns.labels)),
        "values": values,
        "visible": visible,
    }


def _written_axis(axis: Axis) -> dict[str, Any]:
    return {
        "name": axis.name,
        "side": axis.side,
        "labels": [written_label(label) for label in axis.labels],
        "then": [written_label(label) for label in axis.then],
        "differs": list(axis.differs),
        "links": list(axis.links),
    }


def read_axis(written: Mapping[str, Any]) -> Axis:
    """Return the axis that stands in a header."""
    return Axis(
        name=written["name"],
        side=written["side"],
        labels=tuple(map(read_label, written["labels"])),
        then=tuple(map(read_label, written["then"])),
        differs=tuple(written["differs"]),
        links=tuple(written["links"]),
    )


def content_of(header: Mapping[str, Any], arrays: Sequence[Array]) -> str:
    """Return what lets the component see what is as it was, and leave that alone."""
    digest = hashlib.blake2b(json.dumps(header).encode(), digest_size=12)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def pack_arrays(header: Mapping[str, Any], arrays: Sequence[Array]) -> bytes:
    """Write a header and its arrays, of 32-bit floats or single bytes."""
    types = ["f4" if array.dtype == np.float32 else "u1" for array in arrays]
    sizes = [[kind, array.size] for kind, array in zip(types, arrays, strict=True)]
    blocks = [
        padded(array.astype("<f4" if kind == "f4" else "u1", copy=False).tobytes())
        for kind, array in zip(types, arrays, strict=True)
    ]
    return framed({**header, "arrays": sizes}) + b"".join(blocks)


def unpack_arrays(packed: bytes) -> tuple[dict[str, Any], list[Array]]:
    """Read what `pack_arrays` wrote."""
    header, at = unframed(packed)
    arrays = []
    for kind, size in header["arrays"]:
        array = np.frombuffer(packed, _TYPES[kind], size, at)
        arrays.append(array)
        at += array.nbytes + -array.nbytes % 4
    return header, arrays


def squeezed(weights: NDArray[np.float32]) -> tuple[NDArray[np.uint8], list[int]]:
    """Write floats of 0 or more in 3.5 bytes each.

    The two lowest bytes of all come first, then the third of all, as they are. For the high byte,
    most of the exponent, four bits name one of the 15 highest that there are; those cover thirty
    powers of two. What is smaller than that has its high byte in the place of its lowest one: it
    keeps five digits.

    Returns:
        The bytes, and the 15 high bytes or fewer.
    """
    bits = np.ascontiguousarray(weights, "<f4").ravel().view("<u4")
    high = (bits >> 24).astype(np.uint8)
    table = np.flatnonzero(np.bincount(high, minlength=256))[::-1][:_NAMED]
    code_of = np.full(256, _NAMED, np.uint8)
    code_of[table] = np.arange(table.size, dtype=np.uint8)
    codes = code_of[high]
    low = bits.astype("<u2")
    small = np.flatnonzero(codes == _NAMED)
    low[small] = low[small] & 0xFF00 | high[small]
    pairs = np.append(codes, np.uint8(0)) if codes.size % 2 else codes
    blocks = low.view(np.uint8), (bits >> 16).astype(np.uint8), pairs[0::2] | pairs[1::2] << 4
    return np.concatenate(blocks), table.tolist()


def stretched(squeezed: NDArray[np.uint8], table: Sequence[int], n: int) -> NDArray[np.float32]:
    """Read what `squeezed` wrote: so many floats."""
    nibbles = squeezed[3 * n :]
    codes = np.stack([nibbles & 15, nibbles >> 4], axis=1).ravel()[:n]
    low = squeezed[: 2 * n].copy().view("<u2").astype(np.uint32)
    named = np.pad(np.array(table, np.uint32), (0, _NAMED + 1 - len(table)))[codes]
    small = codes == _NAMED
    high = np.where(small, low & 0xFF, named)
    low[small] &= 0xFF00
    bits = low | squeezed[2 * n : 3 * n].astype(np.uint32) << 16 | high << 24
    return bits.astype("<u4").view("<f4").astype(np.float32)


@cache
def component_assets() -> Assets:
    """Return the component's HTML, CSS and JS, of all layouts."""
    styles = ("component/plot", "component/marked_words", "plane/zoom", "plane/maps")
    return assets_of("plane/plane", (*styles, "plane/matrices", "plane/strips"))


@cache
def part_assets() -> Assets:
    """Return the component that shows nothing and brings a part of another one's payload."""
    css = ":host { display: none; }"
    return Assets(html='<i class="part" hidden></i>', css=css, js=joined("plane/part"))
