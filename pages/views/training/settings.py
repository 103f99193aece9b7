"""Asking for the settings of a training; each begins with the preset's value."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import streamlit as st

from core.config import ConfigError
from core.heads import Head, Kind, Site
from core.tasks import Task
from core.training.presets import PRESETS, Preset
from core.training.settings import Setting
from pages.frame import address, controls
from pages.frame.text import _
from pages.views.training.knobs import GROUPS, MODEL, VOCABULARY, Knob

GUIDED, GUIDED_SITE, GUIDED_HEAD = "guided", "guided_site", "guided_head"
_WIDTH = 136


@dataclass(frozen=True, slots=True)
class Begun:
    """The preset that knobs begin with."""

    name: str

    @property
    def preset(self) -> Preset:
        """Its sizes."""
        return PRESETS[self.name]

    @property
    def values(self) -> Mapping[str, Setting]:
        """Its settings by name."""
        settings = self.preset.model.to_dict() | self.preset.training.to_dict()
        return settings | {"vocab_size": self.preset.vocab_size}


def asked(begun: Begun, task: Task | None, *, vocabulary: bool) -> dict[str, Setting]:
    """Ask for every setting, and return those that differ from the preset's.

    Args:
        begun: The preset; another one brings its own values.
        task: What is learned; None where it is not known yet.
        vocabulary: Whether the size of the vocabulary is asked for here.
    """
    found: dict[str, Setting] = {}
    for title, knobs in GROUPS.items():
        with _row(title):
            for knob in (*knobs, VOCABULARY) if vocabulary and knobs == MODEL else knobs:
                found |= turned(knob, begun)
    with _row(_("Guided attention")):
        found |= _guided(found, begun, task)
    return found


def turned(knob: Knob, begun: Begun) -> dict[str, Setting]:
    """Ask for one setting, and return it where it differs from the preset's."""
    default = begun.values[knob.name]
    if knob.offered:
        value: Setting = _word(knob, begun, str(default))
    else:
        value = _number(knob, begun, default)
    return {} if value == default else {knob.name: value}


def require_limits(changed: Mapping[str, Setting], limited: Iterable[Knob]) -> None:
    """Refuse numbers that are too small or too large to train with from here.

    Args:
        changed: Settings by name.
        limited: The knobs whose limits hold.

    Raises:
        ConfigError: The message says which number would do, in the words of the screen.
    """
    for knob in limited:
        low, high = knob.limits
        value = changed.get(knob.name, low)
        if not knob.offered and not low <= float(value) <= high:
            raise ConfigError(
                _(
                    "{label} cannot be {value:,.12g}: it goes from {low:,.12g} to {high:,.12g}"
                ).format(label=knob.label, value=value, low=low, high=high)
            )


def key_of(name: str) -> str:
    """Return the key of a setting's widget, which is its name in the URL."""
    return f"set_{name}"


def _row(title: str) -> st.delta_generator.DeltaGenerator:
    st.caption(f"**{title}**")
    return st.container(horizontal=True, gap="xsmall", vertical_alignment="bottom")


def _word(knob: Knob, begun: Begun, default: str) -> str:
    key = key_of(knob.name)
    address.belongs_to(key, begun.name)
    return controls.selection(
        _label(knob, default),
        key,
        {each: each for each in knob.offered},
        default,
        width=_WIDTH,
        help_text=_help(knob, begun),
    )


def _number(knob: Knob, begun: Begun, preset_value: Setting) -> Setting:
    key = key_of(knob.name)
    kind = float if isinstance(preset_value, float) else int
    default = min(kind(preset_value), kind(knob.limits[1]))
    # Without limits: Streamlit would put another number in the place of one that is refused.
    return controls.amount(
        _label(knob, default),
        key,
        default,
        step=kind(knob.step),
        help_text=_help(knob, begun),
        of=begun.name,
        width=_WIDTH,
    )


def _label(knob: Knob, default: Setting) -> str:
    """Return what stands above a knob, with a dot where it differs from the preset."""
    held = address.text_of(key_of(knob.name))
    same = held is None or str(held) == str(default)
    # Nothing but text: a screen reader says the label as it is.
    return knob.label if same else f"{knob.label} \u25cf"


def _help(knob: Knob, begun: Begun) -> str:
    return _("{text} Preset {name}: {value}.").format(
        text=knob.text, name=begun.name, value=begun.values[knob.name]
    )


def _guided(changed: Mapping[str, Setting], begun: Begun, task: Task | None) -> dict[str, Setting]:
    """Ask which head is taught to look from a pronoun to its antecedent, if any."""
    if task is None or not task.pronouns:
        st.caption(
            _(
                "A head can be taught to look from a pronoun to the noun that it stands for: only "
                "where the task knows both, as translate does."
            )
        )
        return {}
    sizes = {**begun.values, **changed}
    wanted = controls.toggle(
        _("Teach a head to look from a pronoun to the noun that it stands for"), GUIDED
    )
    if not wanted:
        return {}
    sites = [str(Kind.ENCODER_SELF.site(n)) for n in range(int(sizes["n_encoder_layers"]))]
    default = len(sites) - 1
    sites += [str(Kind.CROSS.site(n)) for n in range(int(sizes["n_decoder_layers"]))]
    site = _one_of(_("Sublayer"), sites, default, GUIDED_SITE)
    head = _one_of(_("Head"), list(map(str, range(int(sizes["n_heads"])))), 0, GUIDED_HEAD)
    return {"guide": str(Head(Site.parse(site), int(head)))}


def _one_of(label: str, offered: list[str], default: int, key: str) -> str:
    return controls.selection(
        label, key, {each: each for each in offered}, offered[default], width=_WIDTH
    )
