"""One step of gradient descent in the picture of the whole model, packed for the component."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..component.payload import SAVE_TEXTS, SIGN_TEXTS, complete, content_of, framed
from ..messages import N_
from ..whole import whole
from ..whole.whole import DEFAULT_WHOLE_TEXTS, Whole

_OF_WHOLE = (
    *(*SIGN_TEXTS, *SAVE_TEXTS, "encoder", "encoder.in.order", "parallel", "layer", "in", "memory"),
    *("begins", "folded", "folded.help", "play", "pause", "legend", "legend.down", "special"),
    *("unknown", "percent", "size"),
)
# Every text of the component. A page may hand over its own; {names} are filled in.
DEFAULT_DESCENT_TEXTS: Mapping[str, str] = {
    **{name: DEFAULT_WHOLE_TEXTS[name] for name in _OF_WHOLE},
    "walk": N_("Stages of one training step"),
    "previous": N_("One stage back"),
    "following": N_("One stage on"),
    "at.forward": N_(
        "1 of 4 · Forward: the true words are fed, all at once. Above each stands the true next "
        "word, with the probability that the model gives it."
    ),
    "at.loss": N_(
        "2 of 4 · Loss: −ln of each probability. The mean is {loss}; “{word}” adds most to it, "
        "{most}."
    ),
    "at.backward": N_(
        "3 of 4 · Backward: the gradient of the loss, from the output back to the words. The "
        "stronger a block’s shade, the longer its gradient, relative to its weights."
    ),
    "at.update": N_(
        "4 of 4 · Update: θ ← θ − {rate}·g for every weight θ. The loss goes from {loss} to "
        "{updated}; of each two bars, the right one is the probability after the update."
    ),
    "probability": N_("probability"),
    "nats": N_("loss, −ln p"),
    "mean": N_("mean {loss}"),
    "gradients": N_("shade, number: length of a block’s gradient ÷ length of its weights"),
    "file": N_("training-step"),
}


@dataclass(frozen=True, kw_only=True)
class Descent:
    """A training step on the words that a pass was fed.

    Attributes:
        whole: The pass, without what it writes (`best`): all words are fed at once.
        truth: The true next token of each position from `first` on.
        first: The position that predicts the first of them.
        log_probabilities_T: Of these tokens, before the update.
        updated_T: After it.
        gradients: Block → length of its gradient divided by that of its weights. A block is the
            site of a sublayer, the side of an embedding, or "output".
        names: What embeddings and the output are called.
        rate: The learning rate, as people read it.
        texts: Replacements for some of DEFAULT_DESCENT_TEXTS.
    """

    whole: Whole
    truth: Sequence[str]
    first: int
    log_probabilities_T: NDArray[np.float64]
    updated_T: NDArray[np.float64]
    gradients: Mapping[str, float]
    names: Mapping[str, str]
    rate: str
    texts: Mapping[str, str] = field(default_factory=dict)


def pack(descent: Descent, *, key: str = "", locale: str = "en") -> bytes:
    """Write the picture as the one block of bytes that the component reads.

    Args:
        descent: What is shown.
        key: The element's name; empty where there is but one.
        locale: The reader's language.
    """
    header, arrays = whole.content(descent.whole, key=key, locale=locale)
    header["texts"] = complete(descent.texts, DEFAULT_DESCENT_TEXTS)
    header["descent"] = {
        "truth": list(descent.truth),
        "first": descent.first,
        "before": np.round(descent.log_probabilities_T, 9).tolist(),
        "after": np.round(descent.updated_T, 9).tolist(),
        "gradients": dict(descent.gradients),
        "names": dict(descent.names),
        "rate": descent.rate,
    }
    return framed({**header, "content": content_of(header, arrays)}, arrays)
