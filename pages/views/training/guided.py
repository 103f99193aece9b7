"""Which head is guided in a training, and where it is asked to look."""

import streamlit as st

from core.config import ConfigError
from core.heads import Head
from core.model import Transformer
from core.model.building import outline
from core.tasks import Task
from core.tasks.task import Drawn
from core.training.presets import PRESETS, Setting, with_settings
from pages.frame import controls
from pages.frame.language import N_, _
from pages.views.training.settings import WIDTH, Begun

GUIDED, GUIDED_HEAD, GUIDE_TO = "guided", "guided_head", "set_guide_to"
LOOKS = {
    "antecedent": N_("from a pronoun at its noun"),
    "alignment": N_("from a word at those it translates"),
}


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
    if not controls.toggle(_("Teach a head where to look"), GUIDED):
        return {}
    offered = {each: _(LOOKS[each]) for each in known}
    to = controls.selection(_("Look"), GUIDE_TO, offered, known[0], width=2 * WIDTH)
    model = _model(changed, begun)
    heads = [] if model is None else _heads(model, to)
    if not heads:
        # The reason is shown beside the button.
        return {"guide": "encoder.0.self:0"} if model else {}
    names = {name: name for name in map(str, heads)}
    head = controls.selection(_("Head"), GUIDED_HEAD, names, _usual(heads), width=WIDTH)
    found: dict[str, Setting] = {"guide": head}
    return found | ({"guide_to": to} if to != "antecedent" else {})


def _heads(model: Transformer, to: str) -> list[Head]:
    """Return the heads that can look there."""
    sites = [
        site
        for site in model.sites()
        if site.attention.key_side == "source"
        and (to == "antecedent" or site.attention.query_side == "target")
    ]
    return [Head(site, index) for site in sites for index in range(model.config.n_heads)]


def _usual(heads: list[Head]) -> str:
    """Return the first head of the last encoder layer; else of the last layer."""
    own = [head for head in heads if head.kind.query_side == "source"] or heads
    return str(Head(own[-1].site, 0))


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
