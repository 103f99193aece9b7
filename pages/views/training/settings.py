"""The settings of a training, asked for."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import get_args

import streamlit as st

from core.config import ConfigError
from core.heads import Head, Kind, Site, Stack
from core.tasks import Task
from core.training.presets import PRESETS, Preset
from core.training.settings import LIKE, Setting, with_settings
from pages.frame import address, controls
from pages.frame.knobs import GROUPS, MODEL, VOCABULARY, WORDS, Knob
from pages.frame.language import _, number
from pages.frame.listed import joined

GUIDED, GUIDED_SITE, GUIDED_HEAD = "guided", "guided_site", "guided_head"
_WIDTH = 136


@dataclass(frozen=True, slots=True)
class Begun:
    """The preset that knobs begin with."""

    name: str
    like: str = ""
    """Another kind of Transformer, as `STYLES` names it; empty for the paper's."""

    @property
    def preset(self) -> Preset:
        """Its sizes."""
        return with_settings(PRESETS[self.name], {LIKE: self.like})

    @property
    def key(self) -> str:
        """What stands for it: another one brings its own values."""
        return f"{self.name} {self.like}".strip()

    @property
    def values(self) -> Mapping[str, Setting]:
        """Its settings by name."""
        settings = self.preset.model.to_dict() | self.preset.training.to_dict()
        return settings | {"vocab_size": self.preset.vocab_size, LIKE: ""}

    def has(self, knob: Knob) -> bool:
        """Say whether a setting means something: a single stack has no layers of the other."""
        stacks = self.preset.model.stacks
        if len(stacks) == 2:
            return True
        absent = {f"n_{stack}_layers" for stack in get_args(Stack) if stack not in stacks}
        return knob.name not in {*absent, "scheduled_sampling"}


def ask(begun: Begun, task: Task | None, *, vocabulary: bool) -> dict[str, Setting]:
    """Ask for every setting, and return those that differ from the preset's.

    Args:
        begun: The preset; another one brings its own values.
        task: What is learned; None where it is not known yet.
        vocabulary: Whether the size of the vocabulary is asked for here.
    """
    found: dict[str, Setting] = {}
    for title, knobs in GROUPS.items():
        with _row(_(title)):
            for knob in (*knobs, VOCABULARY) if vocabulary and knobs == MODEL else knobs:
                found |= ask_one(knob, begun) if begun.has(knob) else {}
    with _row(_("Guided attention")):
        found |= _ask_guided(found, begun, task)
    return found


def ask_one(knob: Knob, begun: Begun, chosen: int | None = None) -> dict[str, Setting]:
    """Ask for one setting, and return it where it differs from the preset's.

    Args:
        knob: The setting.
        begun: The preset.
        chosen: What suits the visitor's own pairs better than the preset's number, to begin with.
    """
    of_preset, key = begun.values[knob.name], key_of(knob.name)
    default = of_preset if chosen is None else chosen
    origin = _("Preset {name}: {value}.") if chosen is None else _("For these pairs: {value}.")
    help_text = joined([_(knob.text), origin.format(name=begun.name, value=default)])
    if knob.offered:
        address.belongs_to(key, begun.key)
        # A kind of model may begin with another one than the paper compares.
        words = dict.fromkeys([str(of_preset), *knob.offered])
        offered = {each: _(WORDS[each]) if each in WORDS else each for each in words}
        label = _label(knob, default)
        value: Setting = controls.selection(
            label, key, offered, str(default), width=_WIDTH, help_text=help_text
        )
    else:
        value = _ask_number(knob, begun, default, help_text)
    return {} if value == of_preset else {knob.name: value}


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
                _("{label} cannot be {value}: it goes from {low} to {high}").format(
                    label=_(knob.label), value=exact(value), low=exact(low), high=exact(high)
                )
            )


def exact(value: Setting) -> str:
    """Return a setting as people read it, with all its digits."""
    if isinstance(value, str):
        return value
    return number(value, significant=12, padded=False)


def key_of(name: str) -> str:
    """Return the key of a setting's widget, which is its name in the URL."""
    return f"set_{name}"


def _row(title: str) -> st.delta_generator.DeltaGenerator:
    st.caption(f"**{title}**")
    return st.container(horizontal=True, gap="xsmall", vertical_alignment="bottom")


def _ask_number(knob: Knob, begun: Begun, preset_value: Setting, help_text: str) -> Setting:
    kind = float if isinstance(preset_value, float) else int
    default = min(kind(preset_value), kind(knob.limits[1]))
    # Without limits: Streamlit would put another number in the place of one that is refused.
    return controls.amount(
        _label(knob, default),
        key_of(knob.name),
        default,
        step=kind(knob.step),
        help_text=help_text,
        of=f"{begun.key} {default}",
        width=_WIDTH,
    )


def _label(knob: Knob, default: Setting) -> str:
    """Return what stands above a knob, with a dot where it differs from the preset."""
    held = address.text_of(key_of(knob.name))
    same = held is None or str(held) == str(default)
    # Nothing but text: a screen reader says the label as it is.
    return _(knob.label) if same else f"{_(knob.label)} \u25cf"


def _ask_guided(
    changed: Mapping[str, Setting], begun: Begun, task: Task | None
) -> dict[str, Setting]:
    """Ask which head is taught to look from a pronoun to its antecedent, if any."""
    if task is None or not task.pronouns or begun.preset.model.alone:
        st.caption(
            _(
                "A head can be taught to look from a pronoun to the noun that it stands for: only "
                "where the task knows both, as translate does, and by an encoder and a decoder."
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
    last = sites[-1]
    sites += [str(Kind.CROSS.site(n)) for n in range(int(sizes["n_decoder_layers"]))]
    site = controls.selection(
        _("Sublayer"), GUIDED_SITE, {each: each for each in sites}, last, width=_WIDTH
    )
    heads = {str(head): str(head) for head in range(int(sizes["n_heads"]))}
    head = controls.selection(_("Head"), GUIDED_HEAD, heads, "0", width=_WIDTH)
    return {"guide": str(Head(Site.parse(site), int(head)))}
