"""What there is to see in a decoding, in a sentence or two, and the step that shows it."""

from collections.abc import Mapping, Sequence

from core.decoding.step import DecodeStep, least_sure_step
from core.evaluate.side_by_side import running_losses
from core.runs.run import Run
from core.studies.heads.findings import pronoun_step
from pages.frame import cached
from pages.frame.language import _, number, percent, plain
from pages.frame.selection import Opened


def step_of(opened: Opened, free: Sequence[DecodeStep], overrides: Mapping[int, int]) -> int:
    """Return the step to begin with.

    It is the last one at which somebody put in a word; else the one that writes what the first
    pronoun becomes; else the one at which the model is least sure.
    """
    if overrides:
        return min(max(overrides), len(free) - 1)
    ends = opened.run.model.config.eos_ids
    ids = tuple(step.chosen for step in free if step.chosen not in ends)
    known = cached.call(_pronoun_step, opened.path, opened.inspection.translation.source, ids)
    if known is not None:
        return known
    return least_sure_step(free)


def _pronoun_step(run: Run, source: str, target_ids: Sequence[int]) -> int | None:
    return pronoun_step(cached.task(run.path), run.target_tokenizer, source, target_ids)


def of_step(opened: Opened, free: Sequence[DecodeStep], at: int) -> str:
    """Return which token a step is fed and writes, and the most probable other one."""
    step = free[at]
    first, second = step.most_probable(2)
    other = second if step.chosen == first else first
    probabilities = step.probabilities.tolist()
    text = _(
        "At step {step} the model is fed “{fed}”; **{word}** is written, with **{share}**. The "
        "most probable other word is {other}: {rest}."
    )
    return text.format(
        step=number(at),
        fed=_name(opened, step.prefix[-1]),
        word=_name(opened, step.chosen),
        share=percent(probabilities[step.chosen]),
        other=_name(opened, other),
        rest=percent(probabilities[other]),
    )


def of_rest(opened: Opened, free: Sequence[DecodeStep], overrides: Mapping[int, int]) -> str:
    """Say whether what follows a word that somebody put in is what the model wrote without it."""
    translation = opened.inspection.translation
    own = translation.target_ids[translation.n_given :]
    at = max(overrides, default=len(free))
    ends = opened.run.model.config.eos_ids
    now = tuple(step.chosen for step in free if step.chosen not in ends)
    if at >= min(len(own), len(now)) or own[at] == now[at]:
        return ""
    decode = opened.run.target_tokenizer.decode
    before, after = decode(own[at + 1 :]), decode(now[at + 1 :])
    word = _name(opened, now[at])
    if before == after:
        text = _("Fed “{word}” instead of “{own}”, the model goes on **as before**: “{text}”")
        return text.format(word=word, own=_name(opened, own[at]), text=plain(before))
    return _(
        "Fed “{word}” instead of “{own}”, the model **goes on differently**: “{before}” becomes "
        "“{after}”."
    ).format(word=word, own=_name(opened, own[at]), before=plain(before), after=plain(after))


def of_sides(opened: Opened, first_difference: int | None, forced: Sequence[DecodeStep]) -> str:
    """Return where free running and teacher forcing part: None where they do not."""
    if first_difference is None:
        return _("Fed the reference, it predicts **the same at every step** (teacher forcing).")
    true = forced[first_difference].chosen if first_difference < len(forced) else None
    if true is None or true in opened.run.model.config.eos_ids:
        text = _("The two sides part at step {step}, where the reference ends.")
        return text.format(step=number(first_difference))
    text = _("The two sides part at step {step}, where the reference says **{word}**.")
    return text.format(step=number(first_difference), word=_name(opened, true))


def of_loss(opened: Opened, forced: Sequence[DecodeStep], at: int) -> str:
    """Say what a step of teacher forcing adds to the loss, and the loss of the whole sentence."""
    (loss, _so_far), *_others = running_losses(forced)[at:]
    total = running_losses(forced)[-1][1]
    return _(
        "Loss of step {step}: −log p(“{word}”) = {loss} nats; of the whole reference **{total}**, "
        "per token {mean}: that is what training makes smaller."
    ).format(
        step=number(at),
        word=_name(opened, forced[at].chosen),
        loss=number(loss, 3),
        total=number(total, 3),
        mean=number(total / len(forced), 3),
    )


def _name(opened: Opened, token: int) -> str:
    return plain(opened.run.target_tokenizer.describe([token])[0].text)
