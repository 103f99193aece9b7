"""Asking how to decode."""

from core.decoding.methods import Beam, Greedy, Method
from core.decoding.sampling import Sampling
from pages.frame import controls, session
from pages.frame.text import _


def ask() -> Method:
    """Ask how to decode.

    Raises:
        ConfigError: The settings cannot be.
    """
    names = {"greedy": _("greedy"), "sampling": _("sampling"), "beam": _("beam search")}
    chosen = controls.choice(
        _("Decoding"),
        session.METHOD,
        names,
        "greedy",
        labelled=True,
        older={"beam search": "beam"},
    )
    if chosen == "sampling":
        return Sampling(
            temperature=controls.amount(_("Temperature"), session.TEMPERATURE, 1.0, step=0.1),
            top_k=controls.amount(_("Top k (0: all)"), session.TOP_K, 0),
            top_p=controls.amount(_("Top p"), session.TOP_P, 1.0, step=0.05),
            seed=controls.amount(_("Seed"), session.SEED, 0),
        )
    if chosen == "beam":
        return Beam(
            beam=controls.amount(_("Beam"), session.BEAM, 4),
            alpha=controls.amount(_("Length penalty"), session.ALPHA, 0.6, step=0.1),
        )
    return Greedy()
