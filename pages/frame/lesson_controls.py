"""Widgets that the lessons share. Each returns a plain value, and keeps it in the URL."""

from core.analysis.lessons.masking import companions
from pages.frame import address, cached, controls, session
from pages.frame.language import _
from pages.frame.opening import Opened

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
