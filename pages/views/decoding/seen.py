"""What there is to see in a decoding, in a sentence or two, and the step that shows it."""

from collections.abc import Mapping, Sequence

from core.decoding.step import DecodeStep, least_sure_step
from core.evaluate.side_by_side import running_losses
from core.runs.run import Run
from core.studies.attribution.leaving_out import telling_step
from core.studies.heads.findings import pronoun_step, pronoun_tokens
from pages.frame import cached
from pages.frame.cached import ModelOf
from pages.frame.language import _, number, percent, percent_of_100, plain
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
    pronouns = pronoun_tokens(opened.task, opened.inspection)[:1]
    if pronouns and len(ids) > 1:
        source_ids = opened.inspection.translation.source_ids
        return cached.call(telling_step, ModelOf(opened.path), source_ids, ids, pronouns)
    return least_sure_step(free)


def _pronoun_step(run: Run, source: str, target_ids: Sequence[int]) -> int | None:
    return pronoun_step(cached.task(run.path), run.target_tokenizer, source, target_ids)


def percents(*shares: float) -> list[str]:
    r"""Return shares as people read them, with a digit more where two that differ read the same.

    >>> percents(0.3304, 0.3301, 0.3), percents(0.5, 0.5)
    (['33.04\xa0%', '33.01\xa0%', '30\xa0%'], ['50\xa0%', '50\xa0%'])
    """
    texts = [percent(share) for share in shares]
    sharing = {
        text: {s for s, its in zip(shares, texts, strict=True) if its == text} for text in texts
    }
    return [
        _finer(share, text) if len(sharing[text]) > 1 else text
        for share, text in zip(shares, texts, strict=True)
    ]


def _finer(share: float, text: str) -> str:
    """Return a share with a digit more than `percent` gives it; as it is where that is a bound."""
    for digits in (1, 2, 3):
        if round(100 * share, digits) not in (0, 100):
            return percent_of_100(100 * share, digits + 1)
    return text


def of_step(
    opened: Opened, free: Sequence[DecodeStep], overrides: Mapping[int, int], at: int
) -> str:
    """Return which token a step is fed and writes, and the most probable other one."""
    step = free[at]
    first, second = step.most_probable(2)
    other = second if step.chosen == first else first
    probabilities = step.probabilities.tolist()
    text = _(
        "At step {step} the model is fed “{fed}” and writes **{word}**: **{share}**. The next most "
        "probable is {other}: {rest}."
    )
    if step.chosen != first and at in overrides:
        text = _(
            "At step {step} **{word}** is inserted, which the model gives {share}; the most "
            "probable is **{other}**: {rest}."
        )
    elif step.chosen != first:
        text = _(
            "At step {step} the model writes **{word}** ({share}), though **{other}** is the most "
            "probable: {rest}."
        )
    share, rest = percents(probabilities[step.chosen], probabilities[other])
    return text.format(
        step=number(at),
        fed=_name(opened, step.prefix[-1]),
        word=_name(opened, step.chosen),
        share=share,
        other=_name(opened, other),
        rest=rest,
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


def of_chances(
    opened: Opened,
    own: Sequence[DecodeStep],
    free: Sequence[DecodeStep],
    overrides: Mapping[int, int],
    at: int,
) -> str:
    """Say how a word that somebody put in changes the chances of what comes at a later step.

    Args:
        opened: The run and the sentence.
        own: What the model wrote without it.
        free: What it writes with it.
        overrides: What was put in.
        at: The step.

    Returns:
        One sentence; empty where other words differ before the step, too, or none does.
    """
    if at >= min(len(own), len(free)):
        return ""
    differing = {i for i in range(at) if own[i].chosen != free[i].chosen}
    if not differing or not differing <= overrides.keys():
        return ""
    word, other = free[at].most_probable(2)
    before, after = own[at].probabilities.tolist(), free[at].probabilities.tolist()
    return _(
        "With it **{word}** goes from {before} to **{after}**, **{other}** from {other_before} to "
        "**{other_after}**."
    ).format(
        word=_name(opened, word),
        before=percent(before[word]),
        after=percent(after[word]),
        other=_name(opened, other),
        other_before=percent(before[other]),
        other_after=percent(after[other]),
    )


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
    losses = running_losses(forced)
    (loss, so_far), (_last, total) = losses[at], losses[-1]
    return _(
        "Loss of step {step}: −log p(“{word}”) = {loss} nats; sum up to here {so_far}, of the "
        "whole reference **{total}**, per token {mean}. That sum is what training makes smaller."
    ).format(
        step=number(at),
        word=_name(opened, forced[at].chosen),
        loss=number(loss, 3),
        so_far=number(so_far, 3),
        total=number(total, 3),
        mean=number(total / len(losses), 3),
    )


def _name(opened: Opened, token: int) -> str:
    return plain(opened.run.target_tokenizer.describe([token])[0].text)
