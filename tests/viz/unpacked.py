"""Payloads of components, read again as the components read them."""

import json
import struct

import numpy as np

from viz.component.payload import TokenLabel
from viz.lines.lines import Lines
from viz.plane.maps import AttentionMaps
from viz.plane.matrices import Axis, Matrices, Matrix
from viz.plane.strips import StripGroup, Strips
from viz.stepper.decoding import Alternative, DecodingView, SideView, StepView
from viz.whole.whole import FULL, Sublayer, Whole


def unframed(payload):
    """Return the header and the arrays of a payload."""
    (length,) = struct.unpack_from("<I", payload)
    header = json.loads(payload[4 : 4 + length])
    at, arrays = 4 + length + -length % 4, []
    for kind, size in header["arrays"]:
        array = np.frombuffer(payload, f"<{kind}", size, at)
        arrays.append(array)
        at += array.nbytes + -array.nbytes % 4
    return header, arrays


def _labels(written):
    return tuple(
        TokenLabel(text, *(bool(flags & 1 << bit) for bit in range(4))) for text, flags in written
    )


def _axis(written):
    read = {name: _labels(written[name]) for name in ("labels", "then")}
    read |= {name: tuple(written[name]) for name in ("differs", "links")}
    return Axis(**written | read)


def _pair(written):
    return written and tuple(written)


def unpack_lines(payload):
    """Return the lines; where they were too many to be sent exactly, weights are within 1/510."""
    header, (visible, sent) = unframed(payload)
    weights = sent.reshape(header["shape"])
    return Lines(
        weights_HQK=(weights if header["exact"] else weights / 255.0).astype(np.float32),
        visible_QK=visible.reshape(header["shape"][1:]).astype(np.bool_),
        hidden=frozenset(header["hidden"]),
        **{name: _labels(header[name]) for name in ("queries", "keys", "predicted")},
        **{name: _pair(header[name]) for name in ("heads", "sides", "pinned", "spoken")},
        **{name: header[name] for name in ("title", "threshold", "texts")},
    )


def unpack_maps(packed, head=None):
    """Return the maps: the chosen head's weights as they were sent, others within 1/510 of their
    pool's.

    Args:
        packed: The maps.
        head: What was chosen of them since they came.
    """
    header, arrays = unframed(packed)
    chosen, brought = (header["head"], arrays) if head is None else unframed(head)
    layers, heads, queries, keys = header["shape"]
    pool = header["pool"]
    pooled = (layers, heads, -(-queries // pool), -(-keys // pool))
    numbers = arrays[header["tiles"]].reshape(pooled).repeat(pool, 2).repeat(pool, 3)
    panel = header["panels"][0]
    shown = np.ones(queries * keys) if panel["visible"] is None else arrays[panel["visible"]]
    visible = shown.reshape(queries, keys).astype(np.bool_)
    weights = (numbers[:, :, :queries, :keys] * visible / 255.0).astype(np.float32)
    layer, index = chosen["selected"]
    own = brought[chosen["weights"]].reshape(queries, keys)
    weights[layer, index] = own / np.float32(255.0) if own.dtype == np.uint8 else own
    if own.dtype == np.uint8 and chosen["zoom"]:
        row, column, rows, columns = chosen["zoom"]
        part = brought[chosen["weights"] + 1].reshape(rows, columns)
        weights[layer, index, row : row + rows, column : column + columns] = part
    rows, columns = (_axis(panel[name]) for name in ("rows", "columns"))
    return AttentionMaps(
        sides=(rows.side, columns.side),
        weights=weights,
        visible=visible,
        queries=rows.labels,
        keys=columns.labels,
        predicted=rows.then,
        **{name: _labels(header[name]) for name in ("source", "target")},
        **{name: _pair(chosen[name]) for name in ("selected", "zoom", "pin", "spoken")},
        **{name: header[name] for name in ("kind", "finding", "texts")},
    )


MATRIX = ("title", "scale", "limit", "texts", "details", "hidden", "note")


def unpack_matrices(payload):
    header, arrays = unframed(payload)

    def array(place, shape):
        return None if place is None else arrays[place].reshape(shape)

    panels = []
    for written in header["panels"]:
        visible = array(written["visible"], written["shape"])
        panels.append(
            Matrix(
                values=array(written["values"], written["shape"]),
                visible=None if visible is None else visible.astype(np.bool_),
                **{name: _axis(written[name]) for name in ("rows", "columns")},
                **{name: written[name] for name in (*MATRIX, "value_name", "grey_words")},
            )
        )
    marks = {name: _pair(header[name]) for name in ("selected", "pin")}
    return Matrices(panels=tuple(panels), texts=header["texts"], **marks)


def unpack_strips(payload):
    header, arrays = unframed(payload)
    groups = []
    for written in header["panels"]:
        sides = header["side"], written["columns"]["side"]
        groups.append(
            StripGroup(
                kind=written["kind"],
                sides=sides if header["direction"] == "at" else sides[::-1],
                heads=tuple(map(tuple, written["heads"])),
                weights=arrays[written["values"]].reshape(written["shape"]),
                visible=arrays[written["visible"]].reshape(written["shape"])[0].astype(np.bool_),
            )
        )
    return Strips(
        groups=tuple(groups),
        **{side: _labels(header[side]) for side in ("source", "target")},
        **{name: header[name] for name in ("side", "index", "direction", "note", "texts")},
    )


def unpack_decoding(payload):
    """Return the view: every weight is within 1/65535, and 0 only where it was 0."""
    header, arrays = unframed(payload)
    labels = _labels(header["labels"])

    def step(written):
        true, true_probability, true_rank = written["true"] or (None, None, None)
        return StepView(
            chosen=labels[written["chosen"][0]],
            chosen_probability=written["chosen"][1],
            top=tuple(Alternative(token, labels[i], p) for token, i, p in written["top"]),
            true=None if true is None else labels[true],
            true_probability=true_probability,
            true_rank=true_rank,
            **{name: written[name] for name in ("others", "overridden")},
        )

    def side(written):
        def weights(place):
            if place is None:
                return None
            shape = (*header["shape"], len(written["steps"]), -1)
            return (arrays[place].reshape(shape) / np.float32(65535)).astype(np.float32)

        return SideView(
            fed=tuple(labels[i] for i in written["fed"]),
            steps=tuple(map(step, written["steps"])),
            cross=weights(written["source"]),
            self_=weights(written["target"]),
        )

    free, forced = (*map(side, header["sides"]), None)[:2]
    return DecodingView(
        source=tuple(labels[i] for i in header["source"]),
        free=free,
        forced=forced,
        first_difference=header["difference"],
        look=tuple(header["look"]),
        **{name: header[name] for name in ("start", "arrival", "texts", "about")},
    )


def unpack_whole(payload):
    """Return the pass; its weights are within 1/65535."""
    header, arrays = unframed(payload)
    weights = iter(arrays)
    of_both = {
        name: header[name]
        for name in (
            "title",
            "step",
            "focus",
            "focus_step",
            "silenced",
            "in_order",
            "hands_over",
            "open",
            "texts",
        )
    }
    of_both["source"] = _labels(header["source"])
    own = _pass(header, len(header["source"]), weights)
    forced = None
    if header["forced"]:
        true = _pass(header["forced"], len(header["source"]), weights)
        encoder = [each for each in own["sublayers"] if each.side == "source"]
        forced = Whole(**of_both | true | {"sublayers": encoder + true["sublayers"]})
    return Whole(**of_both, **own, forced=forced)


def _pass(header, n_source, weights):
    sizes, sublayers = {"source": n_source, "target": len(header["fed"])}, []
    for each in header["sublayers"]:
        heads, added = each.pop("heads"), np.array(each.pop("added"))
        own = None
        if heads:
            shape = heads, sizes[each["side"]], sizes[each["keys"]]
            own = (next(weights) / FULL).astype(np.float32).reshape(shape)
        sublayers.append(Sublayer(added_K=added, weights_HQK=own, **each))
    return {
        "fed": _labels(header["fed"]),
        "sublayers": sublayers,
        "norms": {side: np.array(rows) for side, rows in header["norms"].items()},
        **{
            name: [[tuple(guess) for guess in row] for row in header[name]]
            for name in ("guesses", "best")
        },
        "truth": [tuple(guess) for guess in header["truth"]],
    }
