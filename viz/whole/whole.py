"""One forward pass in one picture, packed for the component that draws it.

Its arrays: the weights of each attention, one after the other, as 16-bit numbers (0 to 65535).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..component.payload import (
    SAVE_TEXTS,
    SIGN_TEXTS,
    TokenLabel,
    check_weights,
    complete,
    content_of,
    framed,
    written_label,
)
from ..messages import N_

Side = Literal["source", "target"]
Guess = tuple[str, float]
"""A token, and its probability."""
FULL = 65535

# Every text of the component. A page may hand over its own; {names} are filled in.
DEFAULT_WHOLE_TEXTS: Mapping[str, str] = {
    **SIGN_TEXTS,
    "encoder": N_("Encoder: reads all words at once"),
    "decoder": N_("Decoder: writes word by word"),
    "parallel": N_("Decoder: writes all words at once"),
    "alone": N_("Decoder alone: writes word by word"),
    "size": N_("{stack} · layers: {layers}, heads: {heads}"),
    "layer": N_("layer {layer}"),
    "walk": N_("Steps of decoding"),
    "previous": N_("One step back"),
    "following": N_("One step on"),
    "play": N_("play"),
    "pause": N_("pause"),
    "slow": N_("slow"),
    "slow.help": N_(
        "Show each step block by block, and what the decoder would write if it stopped there"
    ),
    "at.encoder": N_("The encoder has read the source; the decoder is fed next."),
    "encoder.in.order": N_("Encoder: reads word by word"),
    "at.slow": N_("step {step} of {last}: fed all words up to “{fed}”"),
    "at.parallel": N_("The decoder writes all words at once."),
    "at.alone": N_("The encoder reads all words at once."),
    "at.filled": N_(
        "The encoder reads all words at once. In the place of “{masked}” it guesses “{written}” "
        "({probability})"
    ),
    "at.given": N_(
        "step {step} of {last}: fed all words up to “{fed}”, guesses “{written}” ({probability}); "
        "your text goes on with “{next}”"
    ),
    "at.none": N_("Nothing is fed yet."),
    "at": N_(
        "step {step} of {last}: fed all words up to “{fed}”, writes “{written}” ({probability})"
    ),
    "feeds": N_("feed the decoder:"),
    "free": N_("its own words"),
    "free.help": N_("Free running: each word that it writes is fed next"),
    "forced": N_("the true translation"),
    "forced.help": N_(
        "Teacher forcing, as in training: the true translation is fed, all words at once"
    ),
    "at.forced": N_(
        "step {step} of {last}: fed “{fed}”, gives the true next word “{truth}” {chance}"
    ),
    "at.differs": N_(
        "step {step} of {last}: fed “{fed}”, gives the true next word “{truth}” {chance}, "
        "and would write “{written}” ({probability})"
    ),
    "guess": N_("if it stopped after layer {layer}:"),
    "folded": N_("layers {first} to {last}"),
    "folded.help": N_("Show these layers"),
    "memory": N_("→ read by cross-attention"),
    "begins": N_("→ its last state begins the decoder"),
    "close": N_("Close"),
    "head": N_("head {head}"),
    "head.open": N_("Open head {head}"),
    "heads": N_("← all heads"),
    "takes": N_("“{query}” takes from"),
    "writing": N_("{fed} → {written}"),
    "takes.writing": N_("“{query}”, to write “{written}”, takes from"),
    "maps": N_("compare all maps"),
    "maps.help": N_("This head beside all others of its kind"),
    "steps": N_("in numbers"),
    "steps.help": N_("Query · key, softmax, and the mix of values, number by number"),
    "silence": N_("silence"),
    "restore": N_("switch on"),
    "silence.head": N_("Silence head {head}"),
    "restore.head": N_("Switch head {head} on"),
    "restore.all": N_("all heads on"),
    "largest.masked": N_(
        "largest weight but for the first word: “{query}” looks at “{key}”, {weight}"
    ),
    "largest.others": N_("largest weight of the other heads: “{query}” looks at “{key}”, {weight}"),
    "largest": N_("largest weight: “{query}” looks at “{key}”, {weight}"),
    "adds": N_("works on each word alone; adds most to “{token}”: a vector of length {norm}"),
    "others": N_("all others"),
    "in": N_("layer {layer} · {name}"),
    "looks": N_("“{query}” looks most at “{key}”: {weight} (layer {layer}, head {head})."),
    "cell": N_("“{query}” looks at “{key}”: {weight}"),
    "silenced": N_("all of its heads are silenced"),
    "off": N_("this head is silenced: what it takes is left out"),
    "rows": N_("Rows look, columns are looked at. Click a map to see its words."),
    "cells": N_(
        "Click a word on the left for its row. A click on a cell opens Attention: how its number "
        "is computed."
    ),
    "rows.of.head": N_("Click a word on the left for its row."),
    "legend": N_("line: upper word takes from lower, wider is more"),
    "legend.down": N_("line: lower word takes from upper, wider is more"),
    "masked": N_("masked: later words"),
    "hidden": N_("later words: hidden"),
    "bars": N_("bar: size of what a block adds"),
    "tiles": N_("square: a head’s map"),
    "changed": N_("red line: changed"),
    "special": N_("BOS, EOS: beginning and end"),
    "space": N_("␣: a space before it"),
    "unknown": N_("never seen in training"),
    "percent": N_("{n}\u00a0%"),
    "file": N_("pass"),
    **SAVE_TEXTS,
}


@dataclass(frozen=True, kw_only=True)
class Sublayer:
    """A sublayer of one layer.

    Attributes:
        site: Its name in links.
        side: Whose tokens go through it.
        keys: Whose tokens are looked at; None where it is no attention.
        layer: Of its stack.
        label: What people call it within a layer.
        name: What they call it as a whole.
        size: Its shapes and its parameters, in words.
        added_K: The norms of what it adds to each position.
        weights_HQK: Each 0 to 1; None where it is no attention.
    """

    site: str
    side: Side
    keys: Side | None
    layer: int
    label: str
    name: str
    size: str
    added_K: NDArray[np.float64]
    weights_HQK: NDArray[np.float32] | None = None


@dataclass(frozen=True, kw_only=True)
class Whole:
    """A sentence on its way through a model.

    Attributes:
        title: A sentence.
        source: The encoder's tokens; none for a decoder alone.
        fed: What the decoder is fed; none for an encoder alone.
        sublayers: In the order of the data, the encoder's first.
        norms: Side → the norm of each position's vector after the embedding and after each
            sublayer, norms_LK.
        guesses: What each layer of the decoder would write at each step; may be empty.
        best: The most probable tokens of each step, best first; none where the decoder writes all
            at once.
        given: How many steps are fed a text that is given and goes on: what they guess is not fed.
        fills: Of an encoder alone: the most probable tokens at each masked position, best first.
        step: The step that is shown: 0 for the encoder, n for the n-th token that is fed.
        focus: The source's token whose lines stand out; None for none.
        focus_step: The step that looks at it: at the others it does not stand out; None for all.
        in_order: Whether the encoder reads one word after the other.
        hands_over: Whether the decoder begins with the encoder's last state and sees nothing else.
        silenced: Heads whose output is left out, `site:index`: they have no lines.
        open: The block that is open, by its site, or one head of it, `site:index`; None for none.
        truth: Of a pass on a given text: the token that truly follows at each step.
        forced: The same model and sentence, fed the true translation; None where none is known.
        texts: Replacements for some of DEFAULT_WHOLE_TEXTS.

    Raises:
        ValueError: Weights or numbers do not fit the tokens.
    """

    title: str
    source: Sequence[TokenLabel]
    fed: Sequence[TokenLabel]
    sublayers: Sequence[Sublayer]
    norms: Mapping[Side, NDArray[np.float64]]
    guesses: Sequence[Sequence[Guess]] = ()
    best: Sequence[Sequence[Guess]] = ()
    given: int = 0
    fills: Mapping[int, Sequence[Guess]] = field(default_factory=dict)
    step: int = 0
    focus: int | None = None
    focus_step: int | None = None
    in_order: bool = False
    hands_over: bool = False
    silenced: Sequence[str] = ()
    open: str | None = None
    truth: Sequence[Guess] = ()
    forced: "Whole | None" = None
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def last(self) -> int:
        """The last step; 0 where there are none."""
        return len(self.best)

    def __post_init__(self) -> None:
        sizes = {"source": len(self.source), "target": len(self.fed)}
        for each in self.sublayers:
            queries = sizes[each.side]
            if len(each.added_K) != queries:
                raise ValueError(f"{each.site} adds to {len(each.added_K)} of {queries} positions")
            if each.weights_HQK is not None and each.keys is not None:
                shape = len(each.weights_HQK), queries, sizes[each.keys]
                check_weights(each.weights_HQK, shape)


def pack(
    whole: Whole,
    *,
    silences: bool = False,
    leads: bool = False,
    key: str = "",
    locale: str = "en",
) -> bytes:
    """Write the picture as the one block of bytes that the component reads.

    Args:
        whole: What is shown.
        silences: Whether the page can silence heads.
        leads: Whether the page has views of a single head.
        key: The element's name; empty where there is but one.
        locale: The reader's language.
    """
    header, arrays = content(whole, key=key, locale=locale)
    header |= {"silences": silences, "leads": leads}
    hashed = content_of(header, arrays)
    return framed({**header, "content": hashed, "step": whole.step, "open": whole.open}, arrays)


def content(
    whole: Whole, *, key: str, locale: str
) -> tuple[dict[str, Any], list[NDArray[np.uint16]]]:
    """Return the header and the arrays without what a visitor chooses; see `pack`."""
    forced = whole.forced
    target = [] if forced is None else [each for each in forced.sublayers if each.side == "target"]
    arrays = [
        np.minimum(np.rint(each.weights_HQK * FULL), FULL).astype("<u2")
        for each in (*whole.sublayers, *target)
        if each.weights_HQK is not None
    ]
    header = {
        "key": key,
        "locale": locale,
        "title": whole.title,
        "source": [written_label(label) for label in whole.source],
        **_pass(whole, whole.sublayers),
        "forced": None if forced is None else _pass(forced, target),
        "given": whole.given,
        "fills": {str(at): _guesses(each) for at, each in whole.fills.items()},
        "focus": whole.focus,
        "focus_step": whole.focus_step,
        "silenced": list(whole.silenced),
        "in_order": whole.in_order,
        "hands_over": whole.hands_over,
        "texts": complete(whole.texts, DEFAULT_WHOLE_TEXTS),
    }
    return header, arrays


def _pass(whole: Whole, sublayers: Sequence[Sublayer]) -> dict[str, Any]:
    """Return what depends on what the decoder is fed."""
    return {
        "fed": [written_label(label) for label in whole.fed],
        "sublayers": [_sublayer(each) for each in sublayers],
        "norms": {side: np.round(norms, 3).tolist() for side, norms in whole.norms.items()},
        "guesses": [_guesses(each) for each in whole.guesses],
        "best": [_guesses(each) for each in whole.best],
        "truth": _guesses(whole.truth),
    }


def _sublayer(each: Sublayer) -> dict[str, Any]:
    return {
        **{
            name: getattr(each, name)
            for name in ("site", "side", "keys", "layer", "label", "name", "size")
        },
        "added": np.round(each.added_K, 3).tolist(),
        "heads": 0 if each.weights_HQK is None else len(each.weights_HQK),
    }


def _guesses(guesses: Sequence[Guess]) -> list[list[str | float]]:
    # With fewer digits, a share close to 0 or 100 % would be shown as exactly that.
    return [[text, float(f"{probability:.8g}")] for text, probability in guesses]
