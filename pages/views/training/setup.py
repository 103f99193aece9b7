"""Setting up a training: what is learned, by which model, at what cost; and starting it."""

import math
from collections.abc import Mapping

import streamlit as st

from core.config import ConfigError, TrainConfig
from core.model import count_parameters
from core.runs.run import PAIRS
from core.tasks import TASKS, Task
from core.training.estimate import Lengths, costs, lengths_of
from core.training.presets import PRESETS, Preset
from core.training.settings import Setting, with_settings
from pages.frame import cached, controls
from pages.frame.text import _, plain
from pages.views.training import chips, own_pairs, pictures, settings, start
from pages.views.training.knobs import GROUPS, VOCABULARY
from pages.views.training.pending_settings import Wanted
from pages.views.training.settings import Begun

TASK, SIZE = "task", "size"
OWN_PAIRS = "own pairs"
TEXTS = {
    "copy": _(
        "Say a row of letters again. The first thing that a Transformer should learn: its "
        "cross-attention becomes a diagonal."
    ),
    "reverse": _(
        "Say a row of letters backwards. Only who knows where each letter stands can do it: "
        "cross-attention becomes the other diagonal."
    ),
    "translate": _(
        "English to French, from a small grammar. In about half of the sentences a pronoun must be "
        "understood: what it stands for decides how it is translated."
    ),
    OWN_PAIRS: _(
        "Translations, questions and answers, dates in two spellings: whatever has a source and a "
        "target. A tenth of the sources is held out, to measure with."
    ),
}
"""Task → what it teaches."""
MOST_PARAMETERS = 300_000_000
"""Training keeps four numbers for each parameter; more would not fit into most machines."""
_SAMPLES = 3


def render() -> None:
    """Ask what is to be learned and how, say what it costs, and start it."""
    left, right = st.columns([5, 3], gap="medium")
    with left:
        with st.container(horizontal=True):
            tasks, sizes = controls.words([*TASKS, OWN_PAIRS]), controls.words(PRESETS)
            name = controls.choice(_("Task"), TASK, tasks, next(iter(tasks)), labelled=True)
            begun = Begun(controls.choice(_("Size"), SIZE, sizes, next(iter(sizes)), labelled=True))
        st.markdown(f":small[{TEXTS[name]}]")
        task, lengths, changed = _learned(name, begun)
    with st.expander(_("The paper's knobs"), key="knobs", icon=":material/tune:"):
        changed |= settings.asked(begun, task, vocabulary=name != OWN_PAIRS)
    preset, problem = _checked(begun, changed, own=name == OWN_PAIRS)
    found = costs(preset, lengths or _lengths(task, preset)) if task and preset else None
    own = name == OWN_PAIRS
    with right:
        pictures.cost(found, preset.training if preset else None)
        command = start.asked(
            Wanted(
                task=task,
                short="pairs" if own else name,
                source=PAIRS if own else name,
                preset_name=begun.name,
                changed=changed,
                preset=preset,
                costs=found,
                problem=problem,
            )
        )
    if preset:
        st.caption(pictures.sizes(preset.model, preset.training))
        _say_little_patience(preset.training)
    _say_changes(begun, changed)
    st.code(command, language="bash")
    if found and preset:
        pictures.drawn(found.model, preset.training)


def _learned(name: str, begun: Begun) -> tuple[Task | None, Lengths | None, dict[str, Setting]]:
    """Show samples of the task, and return it with the lengths of its sentences."""
    if name == OWN_PAIRS:
        found, changed = own_pairs.asked(begun)
        return (found.corpus, found.lengths, changed) if found else (None, None, changed)
    task = TASKS[name]
    chips.pairs(
        (chips.words(source), chips.words(target))
        for source, target in cached.of_key(_samples, name, task)
    )
    return task, None, {}


def _samples(task: Task) -> list[tuple[str, str]]:
    sources = [example.source for example in task.examples[:_SAMPLES]]
    return [(source, task.reference(source) or "") for source in sources]


def _say_changes(begun: Begun, changed: Mapping[str, Setting]) -> None:
    """Say in a line how the settings differ from the preset's."""
    if not changed:
        st.caption(_("Everything as in the preset {name}.").format(name=begun.name))
        return
    parts = [
        f"**{name} {_shown(value)}**{_before(begun.values[name])}"
        for name, value in changed.items()
    ]
    st.caption(
        _("Changed from the preset {name}: {parts}.").format(
            name=begun.name, parts=", ".join(parts)
        )
    )


def _before(value: Setting) -> str:
    return "" if value == "" else f" ({_shown(value)})"


def _shown(value: Setting) -> str:
    return plain(f"{value:g}" if isinstance(value, float) else str(value))


def _checked(
    begun: Begun, changed: Mapping[str, Setting], *, own: bool
) -> tuple[Preset | None, str]:
    """Return the preset with the settings that were asked for, or None and why they cannot be."""
    try:
        settings.require_limits(changed, [knob for group in GROUPS.values() for knob in group])
        settings.require_limits(changed, [own_pairs.VOCABULARY if own else VOCABULARY])
        preset = with_settings(begun.preset, changed)
        _require_size(preset)
    except ConfigError as error:
        return None, str(error)
    return preset, ""


def _say_little_patience(training: TrainConfig) -> None:
    """Say so where training ends before patience can."""
    n = math.ceil(training.steps / training.evaluate_every)
    if training.patience > 0 and n <= training.patience:
        st.caption(
            _(
                ":material/info: A patience of {patience} can hardly act: in {steps:,} steps there "
                "are {n} measurements, one every {every:,} steps."
            ).format(
                patience=training.patience, steps=training.steps, n=n, every=training.evaluate_every
            )
        )


def _lengths(task: Task, preset: Preset) -> Lengths:
    with st.spinner(_("Splitting samples into tokens …")):
        key = f"{task.name} {preset.vocab_size}"
        return cached.of_key(lengths_of, key, task, preset.vocab_size)


def _require_size(preset: Preset) -> None:
    """Refuse models that would take the memory of whoever looks at this page.

    Raises:
        ConfigError: There are too many parameters.
    """
    found = count_parameters(preset.model)
    if found > MOST_PARAMETERS:
        raise ConfigError(
            _("{n:,} parameters are too many to train from here; at most {most:,}").format(
                n=found, most=MOST_PARAMETERS
            )
        )
