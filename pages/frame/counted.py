"""How right sentences were counted, where that is not as everywhere."""

from core.decoding.mask_predict import PASSES
from core.runs.settings import RunSettings
from core.tasks import SEVERAL_RIGHT
from pages.frame.language import _, number


def counted(settings: RunSettings) -> list[str]:
    """Return what is to be said of a run's share of right sentences; nothing of most."""
    said = []
    if settings.model.is_parallel:
        text = _("Written in passes (mask-predict): {n}.")
        said.append(text.format(n=number(PASSES)))
    if settings.task in SEVERAL_RIGHT:
        said.append(_("A source has two right targets: either counts as right."))
    return said
