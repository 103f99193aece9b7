"""What comes out otherwise than how far influence reaches would let one expect."""

from core.studies.experiments.experiment import BASE
from core.studies.experiments.reach import right_though_fading
from pages.frame.language import _, n_, number, percent
from pages.frame.listed import listed_apart
from pages.views.experiments.question import Asked


def said(asked: Asked, *, with_shares: bool) -> str:
    """Say which variants have more sentences right than the one that is claimed to reach farthest.

    Args:
        asked: Of most experiments nothing is said.
        with_shares: Whether the shares are said, too, where they stand nowhere else.
    """
    trained = {each.name: _(each.label) for each in asked.trained}
    if not asked.experiment.fading or BASE not in trained:
        return ""
    found = right_though_fading(asked.results, BASE, list(trained))
    if not found:
        return ""
    if not with_shares:
        text = n_(
            "Yet {n} variant has more sentences right than {base}, which reaches farthest.",
            "Yet {n} variants have more sentences right than {base}, which reaches farthest.",
            len(found),
        )
        return text.format(n=number(len(found)), base=trained[BASE])
    with_share = _("{variant} ({value})")
    written = {
        name: with_share.format(variant=label, value=percent(asked.results.estimate(name).mean))
        for name, label in trained.items()
    }
    text = n_(
        "Yet {n} variant has more sentences right than {base}: {variants}.",
        "Yet {n} variants have more sentences right than {base}: {variants}.",
        len(found),
    )
    variants = listed_apart(written[each] for each in found)
    return text.format(n=number(len(found)), base=written[BASE], variants=variants)
