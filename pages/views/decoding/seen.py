"""What there is to see in a decoding, in a sentence or two, and the step that shows it."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from core.decoding.step import DecodeStep, least_sure_step
from core.evaluate.side_by_side import running_losses
from pages.frame import clicks
from pages.frame.language import _, number, percent, plain
from pages.frame.selection import Opened
from pages.frame.typography import marked


def step_of(opened: Opened, free: Sequence[DecodeStep], overrides: Mapping[int, int]) -> int:
    """Return the step to begin with.

    It is the last one at which somebody put in a word; else the one that writes what the first
    pronoun becomes; else the one at which the model is least sure.
    """
    if overrides:
        return min(max(overrides), len(free) - 1)
    known = clicks.pronoun_step(opened, [step.chosen for step in free])
    return least_sure_step(free) if known is None else known


def of_step(opened: Opened, free: Sequence[DecodeStep], at: int) -> str:
    """Return which token a step writes, and the most probable other one."""
    step = free[at]
    first, second = step.most_probable(2)
    probabilities = step.probabilities.tolist()
    other = second if step.chosen == first else first
    word, rest = _names(opened, step.chosen, other)
    text = _("Step {step} of {n} writes **{word}** ({share}); second comes {other} ({rest}).")
    if step.chosen != first:
        text = _(
            "Step {step} of {n} is given **{word}** ({share}); the model’s first choice is {other} "
            "({rest})."
        )
    return text.format(
        step=number(at + 1),
        n=number(len(free)),
        word=word,
        share=percent(probabilities[step.chosen]),
        other=rest,
        rest=percent(probabilities[other]),
    )


def of_mistake() -> str:
    """Say why a mistake is worth inserting."""
    return _(
        "Each word that is written is fed to the next step, so **one mistake can change the "
        "rest**: insert one."
    )


def of_rest(opened: Opened, free: Sequence[DecodeStep], overrides: Mapping[int, int]) -> str:
    """Say whether what follows a word that somebody put in is what the model wrote without it."""
    own = opened.inspection.translation.written_ids
    at = max(overrides, default=len(free))
    now = [step.chosen for step in free]
    if at >= min(len(own), len(now)) or own[at] == now[at]:
        return ""
    return _of_change(opened, at, own, now)


def _of_change(opened: Opened, at: int, own: Sequence[int], now: Sequence[int]) -> str:
    """Say what a wrong token at a step makes of a text: what it leaves out, or both texts."""
    decode, ends = opened.run.target_tokenizer.decode, opened.run.model.config.eos_ids
    before, after = (decode([each for each in ids if each not in ends]) for ids in (own, now))
    word, right = _names(opened, now[at], own[at])
    left_out = _left_out(opened, at, own, now)
    one, other = (plain(before), plain(after)) if left_out else marked(before, after)
    if decode(own[at + 1 :]) == decode(now[at + 1 :]):
        text = _(
            "**The wrong word changes nothing else**: with “{word}” in place of “{own}” at step "
            "{step} the model goes on as before."
        )
    elif left_out:
        text = _(
            "**One wrong word changes the rest**: with “{word}” in place of “{own}” at step {step} "
            "the model leaves out “**{left_out}**”, too: “{after}”"
        )
    else:
        text = _(
            "**One wrong word changes the rest**: with “{word}” in place of “{own}” at step {step} "
            "the model writes “{after}” in place of “{before}”."
        )
    return text.format(
        word=word,
        own=right,
        step=number(at + 1),
        before=one,
        after=other,
        left_out=plain(left_out),
    )


def _left_out(opened: Opened, at: int, own: Sequence[int], now: Sequence[int]) -> str:
    """Return the words that are missing besides that of a step, where nothing else has changed."""
    decode = opened.run.target_tokenizer.decode
    # "␣animal" and "animal" are two tokens, and the same to a reader.
    one, other = ([decode([token]).strip() for token in ids] for ids in (own, now))
    missing: list[int] = []
    changes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    for what, start, end, *_added in changes:
        if what == "delete":
            missing += [own[step] for step in range(start, end) if step != at]
        elif what == "insert" or (what == "replace" and (start, end) != (at, at + 1)):
            return ""
    return decode(missing).strip()


def of_sides(opened: Opened, first_difference: int | None, forced: Sequence[DecodeStep]) -> str:
    """Return where free running and teacher forcing part: None where they do not."""
    if first_difference is None:
        return _("Fed the reference, it predicts **the same at every step** (teacher forcing).")
    true = forced[first_difference].chosen if first_difference < len(forced) else None
    if true is None or true in opened.run.model.config.eos_ids:
        text = _("The two sides part at step {step}, where the reference ends.")
        return text.format(step=number(first_difference + 1))
    text = _("The two sides part at step {step}, where the reference says **{word}**.")
    return text.format(step=number(first_difference + 1), word=_name(opened, true))


def of_loss(opened: Opened, forced: Sequence[DecodeStep], at: int) -> str:
    """Say what a step of teacher forcing adds to the loss, and the loss of the whole sentence."""
    (loss, _so_far), *_others = running_losses(forced)[at:]
    total = running_losses(forced)[-1][1]
    return _(
        "Loss of the reference at step {step}: −log p(“{word}”) = {loss} nats; of all its tokens "
        "**{total}**, per token {mean}: that is what training makes smaller."
    ).format(
        step=number(at + 1),
        word=_name(opened, forced[at].chosen),
        loss=number(loss, 3),
        total=number(total, 3),
        mean=number(total / len(forced), 3),
    )


def _name(opened: Opened, token: int) -> str:
    return _names(opened, token)[0]


def _names(opened: Opened, *tokens: int) -> list[str]:
    """Return how tokens read; of two that read alike, one shows the space before it."""
    named = opened.run.target_tokenizer.describe_alone(tokens)
    return [plain(each.text) for each in named]
