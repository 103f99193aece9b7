"""Widgets that the lessons share. Each returns a plain value, and keeps it in the URL."""

from collections.abc import Sequence

from core.analysis.lessons.masking import companions
from core.heads import Stack, Sublayer
from pages.frame import address, cached, controls, session
from pages.frame.opening import Opened
from pages.frame.text import _

MOST_SENTENCES = 8


def sentences(opened: Opened) -> tuple[str, ...]:
    """Ask for the other sentences of a batch, one on each line; the opened one is the first."""
    path = opened.path
    default = "\n".join(cached.of_run(companions, path))
    # Another run brings its own sentences.
    address.belongs_to(session.OTHERS, str(path))
    typed = controls.text(
        _("Other sentences of the batch, one on each line (up to {n})").format(
            n=MOST_SENTENCES - 1
        ),
        session.OTHERS,
        default,
        height=72,
    )
    others = [line.strip() for line in typed.splitlines() if line.strip()]
    readable = [line for line in others if opened.run.tokenizer.encode(line).ids]
    return (opened.sentence, *readable[: MOST_SENTENCES - 1])


def part(offered: Sequence[str], default: str) -> str:
    """Ask for a part of the model; a click into the diagram sets it too."""
    parts = {name: name for name in offered}
    usual = default if default in parts else offered[0]
    return controls.selection(_("Part"), session.PART, parts, usual)


def stack(key: str, default: Stack) -> Stack:
    """Ask for one of the two stacks; every view has its own key, and so its own default."""
    stacks: tuple[Stack, Stack] = ("encoder", "decoder")
    return controls.choice(_("Stack"), key, {each: _(each) for each in stacks}, default)


def sublayer() -> Sublayer:
    """Ask for one of the sublayers of an encoder layer."""
    kinds: dict[str, Sublayer] = {"self-attention": "self", "feed-forward": "feed_forward"}
    chosen = controls.choice(_("Sublayer"), "sublayer", controls.words(kinds), "self-attention")
    return kinds[chosen]


def measure(offered: Sequence[str]) -> str:
    """Ask what of the residual stream is drawn."""
    return controls.choice(_("Measure"), "measure", controls.words(offered), offered[0])


def as_share() -> bool:
    """Ask whether counts are shown as they are, or as shares of their sum."""
    return controls.toggle(_("as shares"), "share")
