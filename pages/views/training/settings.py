"""The settings of a training: what each does, what the paper has, and asking for it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import get_args

import streamlit as st

from core.config import PAPER_POSITIONS, ConfigError, Norm
from core.heads import Head, Kind, Site, Stack
from core.tasks import Task
from core.train_config import Precision
from core.training.presets import PRESETS, Preset
from core.training.settings import LIKE, Setting, with_settings
from pages.frame import address, controls
from pages.frame.language import N_, _, number

GUIDED, GUIDED_SITE, GUIDED_HEAD = "guided", "guided_site", "guided_head"
_WIDTH = 136


@dataclass(frozen=True, slots=True)
class Knob:
    """One setting as it is asked for."""

    name: str
    """The setting's."""
    label: str
    text: str
    """What it does, and what the paper has; to be read on demand."""
    limits: tuple[float, float] = (0, 1)
    """The smallest and the largest, where it is a number."""
    step: float = 1
    """What the buttons add and take away."""
    offered: tuple[str, ...] = ()
    """The words to choose from, where it is no number."""


WORDS = {
    "pre": N_("pre"),
    "post": N_("post"),
    "sinusoidal": N_("sinusoidal"),
    "learned": N_("learned"),
    "rotary": N_("rotary"),
    "buckets": N_("relative"),
    "halves": N_("sines first"),
    "auto": N_("auto"),
}
"""Settings that are words → what they are called; number formats are called the same everywhere."""

_VOCABULARY = N_(
    "Tokens that the tokenizer learns at most: 3 special ones, the 256 bytes, and frequent pieces "
    "of words (BPE). The paper: 37,000."
)
_ENCODER = N_("Each lets the source look at itself once more. The paper: 6.")
_DECODER = N_("Each looks at the target so far, and then at the source. The paper: 6.")
_HEADS = N_("Each attention has so many, which share the width evenly. The paper: 8.")
_D_MODEL = N_("Numbers that stand for a token between the layers. The paper: 512.")
_D_FF = N_("Hidden units of each feed-forward layer. The paper: 2048.")
_NORM = N_(
    "post: after each sublayer and its sum, as in the paper. pre: before each sublayer, which "
    "learns more steadily."
)
_POSITIONS = N_("How a token is told where it stands. The paper: sinusoidal.")
_STEPS = N_("Batches to learn from. The paper: 100,000.")
_BATCH = N_("The paper: about 25,000 tokens of each language.")
_RATE = N_("Multiplies the paper's learning rate, which depends on d_model and warm-up.")
_WARMUP = N_("Steps in which the learning rate rises. The paper: 4000.")
_ACCUMULATE = N_(
    "A batch that does not fit into memory is computed in so many parts, one after the other. "
    "Without dropout it learns the same."
)
_CLIP = N_("Gradients are scaled down to this norm; 0 leaves them as in the paper.")
_PRECISION = N_("Of matrix products. auto: bfloat16 on CUDA, float32 elsewhere.")
_SEED = N_("Of weights, samples and dropout: the same seed makes the same run.")
_DROPOUT = N_("Share of numbers that each step of training leaves out. The paper: 0.1.")
_SMOOTHING = N_(
    "Share of the target's probability that is spread evenly over all tokens, the true one among "
    "them. The paper: 0.1."
)
_PATIENCE = N_(
    "Training stops after so many measurements without a lower held-out loss; 0 for never, as in "
    "the paper."
)
_SAMPLING = N_(
    "Scheduled sampling: share of the decoder's inputs that are its own words instead of the true "
    "ones at the end of training; it rises evenly from 0. The paper: 0."
)

VOCABULARY = Knob("vocab_size", N_("Vocabulary"), _VOCABULARY, (260, 50_000), 20)
MODEL = (
    Knob("n_encoder_layers", N_("Encoder layers"), _ENCODER, (1, 24)),
    Knob("n_decoder_layers", N_("Decoder layers"), _DECODER, (1, 24)),
    Knob("n_heads", N_("Heads"), _HEADS, (1, 64)),
    Knob("d_model", N_("d_model"), _D_MODEL, (1, 2048), 16),
    Knob("d_ff", N_("d_ff"), _D_FF, (1, 8192), 64),
    Knob("norm", N_("Norm"), _NORM, offered=get_args(Norm)),
    Knob("positions", N_("Positions"), _POSITIONS, offered=PAPER_POSITIONS),
)
GROUPS: Mapping[str, tuple[Knob, ...]] = {
    N_("Model"): MODEL,
    N_("Learning"): (
        Knob("steps", N_("Steps"), _STEPS, (1, 10**6)),
        Knob("batch_size", N_("Pairs in a batch"), _BATCH, (1, 4096)),
        Knob("learning_rate_factor", N_("Learning rate ×"), _RATE, (0, 100), 0.1),
        Knob("warmup", N_("Warm-up steps"), _WARMUP, (1, 10**6), 50),
        Knob("accumulate", N_("Parts of a batch"), _ACCUMULATE, (1, 4096)),
        Knob("clip_norm", N_("Clip norm"), _CLIP, (0, 1000), 0.5),
        Knob("precision", N_("Precision"), _PRECISION, offered=get_args(Precision)),
        Knob("seed", N_("Seed"), _SEED, (0, 10**9)),
    ),
    N_("Against learning by heart, and against exposure bias"): (
        Knob("dropout", N_("Dropout"), _DROPOUT, (0, 0.95), 0.05),
        Knob("label_smoothing", N_("Label smoothing"), _SMOOTHING, (0, 0.95), 0.05),
        Knob("patience", N_("Patience"), _PATIENCE, (0, 1000)),
        Knob("scheduled_sampling", N_("Sched. sampling"), _SAMPLING, (0, 0.95), 0.05),
    ),
}
"""What stands above some knobs → the knobs."""
_LABELS = {knob.name: knob.label for knobs in ((VOCABULARY,), *GROUPS.values()) for knob in knobs}


def setting_label(name: str) -> str:
    """Return what people call a setting; its own name where it is not asked for.

    Args:
        name: With the names of what it is in, as model.d_model.
    """
    label = _LABELS.get(name.rpartition(".")[2])
    return _(label) if label else name


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
    help_text = f"{_(knob.text)} {origin.format(name=begun.name, value=default)}"
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
    if task is None or not task.pronouns or len(begun.preset.model.stacks) == 1:
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
