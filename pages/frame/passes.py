"""How a forward pass is shown: the picture of the whole model, from what was recorded."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.config import ModelConfig
from core.config.choices import Predicts
from core.heads import STACK_LABELS, Head, Kind, Site
from core.inspection import Inspection
from core.messages import N_
from core.runs.run import Run
from core.runs.settings import RunSettings
from core.studies.forward_pass import ForwardPass
from pages.frame.language import _, capitalised, joined, n_, number
from pages.frame.maps import side_labels
from pages.frame.measured_on import TASK_LABELS, reads_images
from viz.whole.whole import Guess, Sublayer, Whole

PICTURE = "pass"
"""Key of the element."""
CERTAIN = 0.5
"""From this probability on, nothing is said of a word."""
_PAPER = N_(
    "**The Transformer of “Attention Is All You Need”**, the design behind today’s language "
    "models: each word looks at others (attention)."
)
_NAMES = {
    "self": Kind.ENCODER_SELF.sublayer_label,
    "cross": Kind.CROSS.sublayer_label,
    "feed_forward": N_("feed-forward"),
    "recurrent": N_("recurrent unit"),
    "mixing": N_("mixing"),
}


def what_it_does(settings: RunSettings | None) -> str:
    """Return what is shown, and what the model of these settings does if that is known."""
    if settings is None:
        return _(_PAPER)
    config, does = settings.model, TASK_LABELS.get(settings.task)
    hint = _("Change a word, press *play*, or click a block such as *{block}*.")
    if config.is_encoder_only or config.is_parallel:
        hint = _("Change a word, or click a block such as *{block}*.")
    if reads_images(settings.task):
        hint = _("Change a patch, or click a block such as *{block}*.")
    attends = "attention" in (config.encoder_mixing, config.decoder_mixing)
    block = _(Kind.ENCODER_SELF.sublayer_label) if attends else _("feed-forward")
    task = _("This model {does}.").format(does=_(does)) if does else None
    return joined([_(_kind(config)), task, hint.format(block=block)])


def _kind(config: ModelConfig) -> str:
    """Return what a model is, beside the one of the paper."""
    if config.is_decoder_only:
        return N_("**A Transformer’s decoder alone**, the design of today’s language models.")
    if config.is_encoder_only:
        return N_("**A Transformer’s encoder alone**, the design of BERT.")
    if config.decoder_mixing in ("gru", "lstm"):
        return N_("**A recurrent network**, the design before the Transformer.")
    return _PAPER


def whole_of(
    run: Run, found: ForwardPass, title: str, focus: int | None, focus_step: int | None = None
) -> Whole:
    """Return the picture of a pass; it opens on the focus's step.

    Without a focus or cross-attention, it opens on the step at which the model is least sure; of a
    decoder alone, on the first word that it writes.

    Args:
        run: Whose model it is.
        found: The pass.
        title: A sentence.
        focus: The source's token that stands out; None for none.
        focus_step: At which it stands out, from 1; None for the step that looks most at it.
    """
    inspection, lens, best = found.inspection, found.lens, found.best
    focus_step = _looking_step(found, focus) if focus_step is None else focus_step
    masked = not run.model.config.is_parallel
    sublayers = [_sublayer(run, inspection, *each, masked=masked) for each in found.sublayers]
    return Whole(
        title=title,
        source=side_labels(inspection, "source"),
        fed=side_labels(inspection, "target"),
        sublayers=sublayers,
        norms={stream.sites[0].side: stream.norms_LK for stream in found.streams.values()},
        # The embedding is no layer.
        guesses=_rows(run, lens.best_LK[1:], lens.best_probability_LK[1:]) if lens else [],
        best=_rows(run, best.ids_TN, best.probabilities_TN) if best else [],
        given=max(inspection.n_typed - 1, 0),
        fills={at: _named(run, *zip(*row, strict=True)) for at, row in found.fills.items()},
        step=_usual_step(found) if focus_step is None else focus_step,
        focus=focus,
        focus_step=focus_step,
        hands_over=run.model.config.cross == "none" and run.model.config.is_encoder_decoder,
        in_order=any(
            site.in_encoder and site.sublayer == "recurrent" for site, _added in found.sublayers
        ),
        texts=_of_labels(run.model.config.predicts),
    )


def on_reference(run: Run, found: ForwardPass) -> Whole | None:
    """Return the picture of a pass on a true translation, with each true next word.

    None where the decoder does not write word by word.
    """
    if found.best is None:
        return None
    ids = zip(found.best.next_ids, found.best.ids_TN.tolist(), strict=True)
    # Each is called as among the most probable ones of its step.
    texts = [texts_of(run, [next_id, *best])[0] for next_id, best in ids]
    truth = list(zip(texts, found.best.next_probabilities.tolist(), strict=True))
    return replace(whole_of(run, found, "", None), truth=truth)


def _of_labels(predicts: Predicts) -> dict[str, str]:
    """Return what the picture says of an encoder's labels; nothing where it has none."""
    texts = {
        "tags": _(
            "The encoder reads all words at once. It tags “{masked}” as “{written}” ({probability})"
        ),
        "class": _(
            "The encoder reads all words at once. Where “{masked}” stands, it labels the text as "
            "“{written}” ({probability})"
        ),
    }
    return {"at.filled": texts[predicts]} if predicts in texts else {}


def _sublayer(
    run: Run, inspection: Inspection, site: Site, added_K: NDArray[np.float64], *, masked: bool
) -> Sublayer:
    attention, label = inspection.attention.get(site), _(_NAMES[site.sublayer])
    if attention and site.attention.causal and masked:
        label = _("masked self-attention")
    return Sublayer(
        site=str(site),
        side=site.side,
        keys=site.attention.key_side if attention else None,
        layer=site.layer,
        label=label,
        name=_("{stack}, layer {layer}: {sublayer}").format(
            stack=capitalised(_(STACK_LABELS[site.stack])), layer=site.layer, sublayer=label
        ),
        size=_size(run, site),
        added_K=added_K,
        weights_HQK=attention.weights_HQK if attention else None,
    )


def _size(run: Run, site: Site) -> str:
    """Return the width of a sublayer's vectors, and how many parameters it has with its norm."""
    n = run.model.n_parameters(site)
    text = n_(
        "Input and output: {d_model} numbers for each token. {n} parameter, norm included.",
        "Input and output: {d_model} numbers for each token. {n} parameters, norm included.",
        n,
    )
    return text.format(d_model=number(run.model.config.d_model))


def silenced_heads(run: Run, text: str | None) -> tuple[Head, ...]:
    """Return the heads that are silenced in the whole pass, of those that the model has.

    Args:
        run: Whose heads they are.
        text: Their names with commas between them, as the address has them.
    """
    if not text or run.model.config.is_parallel:
        return ()
    heads = {
        str(head): head
        for site in run.model.sites()
        for head in site.heads(run.model.config.n_heads)
    }
    return tuple(heads[name] for name in dict.fromkeys(text.split(",")) if name in heads)


def _looking_step(found: ForwardPass, source: int | None) -> int | None:
    """Return the step, from 1, whose last cross-attention looks most at a token of the source."""
    crossing = found.inspection.sites_of(Kind.CROSS)
    if not crossing or source is None:
        return None
    weights_HT = found.inspection.attention[crossing[-1]].weights_HQK[:, :, source]
    return 1 + int(weights_HT.max(axis=0).argmax())


def _usual_step(found: ForwardPass) -> int:
    """Return the first step, from 1, that writes after a prompt.

    Without a prompt, it is the step at which the model is least sure; if it is sure of all, the one
    in the middle.
    """
    if found.inspection.n_typed:
        return found.inspection.n_typed
    chances_T = None if found.best is None else found.best.probabilities_TN[:, 0]
    if chances_T is None or chances_T.min(initial=1.0) >= CERTAIN:
        return (len(found.inspection.fed_tokens) + 1) // 2
    return 1 + int(chances_T.argmin())


def _rows(run: Run, ids: NDArray[np.intp], chances: NDArray[np.floating]) -> list[list[Guess]]:
    """Return tokens with their probabilities, row by row."""
    rows = zip(ids.tolist(), chances.tolist(), strict=True)
    return [_named(run, *row) for row in rows]


def _named(run: Run, ids: Sequence[int], chances: Sequence[float]) -> list[Guess]:
    return list(zip(texts_of(run, ids), chances, strict=True))


def texts_of(run: Run, ids: Sequence[int]) -> list[str]:
    """Return what tokens of the target are called, each by itself."""
    return [token.text for token in run.target_tokenizer.describe_alone(ids)]
