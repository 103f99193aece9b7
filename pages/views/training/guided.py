"""Which head is guided in a training, where it is asked to look, and how hard."""

import streamlit as st

from core.config import ConfigError
from core.config.training import TrainConfig
from core.heads import Head, Site
from core.model import Transformer
from core.model.building import outline
from core.tasks import Task
from core.tasks.task import Drawn
from core.training.presets import PRESETS, Setting, with_settings
from pages.frame import controls
from pages.frame.language import N_, _
from pages.views.training.settings import WIDTH, Begun

GUIDED, GUIDED_SITE, GUIDED_HEAD = "guided", "guided_site", "guided_head"
GUIDE_TO, GUIDE_WEIGHT = SETTINGS = ("set_guide_to", "set_guide_weight")
TEACHES = {
    "antecedent": N_("Teach a head to look from a pronoun to the noun that it stands for"),
    "alignment": N_(
        "Teach a head to look from each word of the target to the source words that it comes from"
    ),
}
LOOKS = {"antecedent": N_("the noun"), "alignment": N_("the source words")}


def ask(changed: dict[str, Setting], begun: Begun, task: Task | None) -> dict[str, Setting]:
    """Ask which head is taught to look where, if any, and return the settings for it.

    Args:
        changed: The other settings that differ from the preset's.
        begun: The preset.
        task: What is learned; None where it is not known yet.
    """
    known = [] if task is None or not begun.preset.model.is_encoder_decoder else _known(task)
    if not known:
        st.caption(
            _(
                "A head can be taught where to look by an encoder and a decoder, and only where "
                "the task knows it: which noun a pronoun stands for, as translate does, or which "
                "words belong together, as all tasks but own pairs do."
            )
        )
        return {}
    offered = {each: _(LOOKS[each]) for each in known}
    to = controls.chosen(GUIDE_TO, offered, known[0], {})
    if not controls.toggle(_(TEACHES[to]), GUIDED):
        return {}
    controls.selection(_("Look at"), GUIDE_TO, offered, known[0], width=WIDTH)
    model = _model(changed, begun)
    sites = [
        str(site)
        for site in (model.sites() if model else ())
        if site.attention.key_side == "source"
        and (to == "antecedent" or site.attention.query_side == "target")
    ]
    if model is None or not sites:
        # The reason is shown beside the button.
        return {"guide": "encoder.0.self:0"} if model else {}
    last = [each for each in sites if each.endswith("self")] or sites
    site = controls.selection(
        _("Sublayer"), GUIDED_SITE, {each: each for each in sites}, last[-1], width=WIDTH
    )
    heads = {str(head): str(head) for head in range(model.config.n_heads)}
    head = controls.selection(_("Head"), GUIDED_HEAD, heads, "0", width=WIDTH)
    usual = TrainConfig().guide_weight
    weight = controls.amount(_("Weight of its loss"), GUIDE_WEIGHT, usual, step=0.1, width=WIDTH)
    found: dict[str, Setting] = {"guide": str(Head(Site.parse(site), int(head)))}
    found |= {"guide_to": to} if to != "antecedent" else {}
    return found | ({"guide_weight": weight} if weight != usual else {})


def _known(task: Task) -> list[str]:
    """Return where a task knows that a head could look."""
    found = ["antecedent"] if task.pronouns else []
    return [*found, "alignment"] if isinstance(task, Drawn) else found


def _model(changed: dict[str, Setting], begun: Begun) -> Transformer | None:
    """Return the model that is asked for; None where it cannot be."""
    if begun.start:
        return outline(begun.preset.model)
    try:
        return outline(with_settings(PRESETS[begun.name], changed).model)
    except ConfigError:
        return None
