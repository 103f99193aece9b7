"""What comes out otherwise than how far influence reaches would let one expect."""

from core.experiments.experiment import BASE
from core.experiments.reach import right_though_fading
from pages.frame.language import _, n_, percent
from pages.frame.listed import listed_apart
from pages.views.experiments.question import Asked


def said(asked: Asked) -> str:
    """Say which variants have more sentences right than the one that reaches farthest, if any."""
    trained = {each.name: _(each.label) for each in asked.trained}
    if not asked.experiment.fading or BASE not in trained:
        return ""
    found = right_though_fading(asked.results, BASE, list(trained))
    if not found:
        return ""
    with_share = _("{variant} {share}")
    written = {
        name: with_share.format(variant=label, share=percent(asked.results.estimate(name).mean))
        for name, label in trained.items()
    }
    text = n_(
        "Yet here {n} variant has more sentences right than {base}: {variants}. Far reach alone "
        "does not make a better model.",
        "Yet here {n} variants have more sentences right than {base}: {variants}. Far reach alone "
        "does not make a better model.",
        len(found),
    )
    variants = listed_apart(written[each] for each in found)
    return text.format(n=len(found), base=written[BASE], variants=variants)
