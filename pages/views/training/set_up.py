"""Setting up a training: what is learned, by which model, at what cost; and starting it."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import streamlit as st

from core.config import ConfigError, ModelConfig
from core.config.styles import STYLES
from core.model import count_parameters
from core.runs.files import PAIRS
from core.runs.run import read_tokenizer
from core.tasks import PREDICTS, TASKS, Task, right_targets
from core.tokenizer.tokenizer import Tokenizer
from core.training.forecast import forecast
from core.training.loop import learning_rate
from core.training.prepare import check_training, train_tokenizer
from core.training.presets import LIKE, PRESETS, Preset, Setting, with_settings
from pages.frame import controls, service
from pages.frame.cached import Keyed
from pages.frame.charts import charts
from pages.frame.language import N_, _, listed, n_, number, plain, translated
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.frame.texts import view_text
from pages.frame.typography import typeset_target
from pages.frame.view import Shown
from pages.views.training import costs, guided, own_pairs, settings, start
from pages.views.training.knobs import ARCHITECTURE, AUTOMATIC, KNOBS, PAPER
from pages.views.training.settings import Begun
from pages.views.training.start import PendingSettings

TASK, SIZE = "task", "size"
OWN_PAIRS = "own_pairs"
LABELS = {
    "copy": N_("copy"),
    "reverse": N_("reverse"),
    "either": N_("copy or reverse"),
    "names": N_("names"),
    "define": N_("definitions"),
    "tag": N_("tagging"),
    "classify": N_("classification"),
    "digits": N_("digits"),
    "translate": N_("translate"),
    OWN_PAIRS: N_("own pairs"),
}
"""Task → what people call it."""
SIZES = {"tiny": N_("tiny"), "small": N_("small"), "medium": N_("medium"), "base": N_("base")}
_WIDTH = 250
MOST_PARAMETERS = 300_000_000
"""Training keeps four numbers for each parameter; more would not fit into most machines."""
_SAMPLES = 3


def draw(folder: Path) -> Shown | None:
    """Ask what is to be learned and how, say what it costs, and start it.

    Args:
        folder: The run is made in it.
    """
    left, right = st.columns([5, 3], gap="medium")
    with left:
        name, begun = _ask_what()
        varied = settings.chosen(begun, ARCHITECTURE)
        task, learned, changed = _learned(name, begun, varied)
        changed |= {LIKE: begun.like} if begun.like else {}
        changed |= {"predicts": begun.predicts} if begun.predicts != "tokens" else {}
    own = name == OWN_PAIRS
    with st.expander(_(PAPER), key="knobs", icon=":material/tune:"):
        changed |= settings.ask(begun, vocabulary=not own) | varied
        with settings.row(_("Guided attention")):
            changed |= guided.ask(changed, begun, task)
    settings.ask_architecture(begun, task.name if task else "")
    preset, problem = _checked(begun, changed, task, own=own)
    wanted = PendingSettings(
        task=task,
        own=own,
        name=name,
        preset_name=begun.name,
        changed=changed,
        preset=preset,
        start=begun.start,
        tokenizer=(learned or _tokenizer(task, preset, begun.start)) if task and preset else None,
        problem=problem,
    )
    with right:
        costs.say(wanted)
        command = start.ask(folder, wanted)
    with st.container(key="sizes_said"):
        _say_changes(begun, changed)
    shown = _shown(wanted, command)
    st.code(command, language="bash")
    if own and task:
        said = _("{file} is the download “{button}”: source and target are its only columns.")
        st.caption(said.format(file=PAIRS, button=_(own_pairs.AS_LEARNED)))
    return shown


def _shown(wanted: PendingSettings, command: str) -> Shown | None:
    """Draw what is known of a training beforehand, where it can be."""
    preset, tokenizer = wanted.preset, wanted.tokenizer
    if preset is None or tokenizer is None:
        return None
    model = preset.sized(tokenizer.vocab_size)
    figures = costs.charts(model, preset.training)
    with st.container(key="forecast"):
        pictures = charts(st.columns(2, gap="large"), figures)
    return Shown(
        name=wanted.short,
        title=_("A training of the size {size}, before it has begun").format(
            size=wanted.preset_name
        ),
        seen=costs.seen(model, preset.training, wanted.name),
        recipe=Recipe(forecast, preset, model.vocab_size),
        code=[learning_rate],
        pictures=pictures,
        about={"task": _(LABELS[wanted.name]), "command": command},
    )


def _ask_what() -> tuple[str, Begun]:
    """Ask for the task, the size, and the kind of model; say what the task teaches."""
    with st.container(horizontal=True):
        offered = translated(LABELS)
        older = {"own pairs": OWN_PAIRS}
        name = controls.choice(
            _("Task"), TASK, offered, next(iter(offered)), labelled=True, older=older
        )
        sizes = translated(SIZES)
        size = controls.choice(_("Size"), SIZE, sizes, next(iter(sizes)), labelled=True)
        like = _ask_like(name)
    # A single stack has no cross-attention, which the tasks' texts mention.
    alone = STYLES[like].stack if like and name not in PREDICTS else ""
    sections = view_text("training", "set_up").sections
    st.markdown(f":small[{sections[f'alone {alone}' if alone else name]}]")
    start = settings.start(name, like) if name in TASKS else None
    return name, Begun(size, like, start, PREDICTS.get(name, "tokens"))


def _ask_like(task: str) -> str:
    """Ask for a kind of Transformer, by its name in `STYLES`; empty for the paper's."""
    kinds = {"": _("encoder and decoder"), **{name: _(each.label) for name, each in STYLES.items()}}
    if task in PREDICTS:
        kinds = {"": _("encoder alone"), "bert": kinds["bert"]}
    return controls.selection(_("Kind of model"), LIKE, kinds, "", width=_WIDTH)


def _learned(
    name: str, begun: Begun, varied: Mapping[str, Setting]
) -> tuple[Task | None, Tokenizer | None, dict[str, Setting]]:
    """Show samples of the task, and return it with the tokenizer that own pairs have."""
    if name == OWN_PAIRS:
        found, changed = own_pairs.ask(begun, _model(begun, varied))
        return (found.corpus, found.tokenizer, changed) if found else (None, None, changed)
    task = TASKS[name]
    own_pairs.show_pairs(Recipe(_samples, Keyed(name, task)).result())
    return task, None, {}


def _model(begun: Begun, varied: Mapping[str, Setting]) -> ModelConfig:
    """Return the model that is asked for; the preset's where it cannot be."""
    try:
        return with_settings(PRESETS[begun.name], {LIKE: begun.like, **varied}).model
    except ConfigError:
        return begun.preset.model


def _samples(task: Task) -> list[tuple[str, str]]:
    sources = [example.source for example in task.examples[:_SAMPLES]]
    # Of several right targets all are shown.
    known = (" / ".join(right_targets(task, source)) for source in sources)
    targets = (typeset_target(target, task.name) for target in known)
    return list(zip(sources, targets, strict=True))


def _say_changes(begun: Begun, changed: Mapping[str, Setting]) -> None:
    """Say in a line how the settings differ from the preset's."""
    if not changed:
        return
    parts = []
    for name, value in changed.items():
        now = f"**{name} {plain(settings.exact(value))}**"
        before = _before(name, begun.values[name])
        parts.append(_("{text} ({note})").format(text=now, note=before) if before else now)
    said = _("Changed from the preset {name}: {parts}.")
    st.caption(said.format(name=begun.name, parts=listed(parts)))


def _before(name: str, value: Setting) -> str:
    return _("auto") if name in AUTOMATIC and value == 0 else plain(settings.exact(value))


def _checked(
    begun: Begun, changed: Mapping[str, Setting], task: Task | None, *, own: bool
) -> tuple[Preset | None, str]:
    """Return the preset with the settings that were asked for, or None and why they cannot be."""
    try:
        limited = dict(KNOBS) | ({"vocab_size": own_pairs.VOCABULARY} if own else {})
        settings.require_limits(changed, limited.values())
        preset = with_settings(PRESETS[begun.name], changed)
        if begun.start:
            preset = replace(preset, model=begun.preset.model)
        _require_size(preset)
        service.current().require(preset.model, preset.training)
        if task is not None:
            check_training(task, preset, starts=begun.start is not None)
    except ConfigError as error:
        return None, explained(error)
    return preset, ""


def _tokenizer(task: Task, preset: Preset, start: Path | None) -> Tokenizer:
    """Return what a training would learn: few words do not have as many tokens as asked."""
    if start:
        return read_tokenizer(start, preset.model)
    with st.spinner(_("Splitting samples into tokens …")):
        key = f"{task.name} {preset.vocab_size} {preset.model.stacks} {preset.model.decoder}"
        return Recipe(_learned_tokenizer, Keyed(task.name, task), Keyed(key, preset)).result()


def _learned_tokenizer(task: Task, preset: Preset) -> Tokenizer:
    return train_tokenizer(task, preset.vocab_size, 0, preset.model)


def _require_size(preset: Preset) -> None:
    """Refuse models that are too large to train from this page.

    Raises:
        ConfigError: There are too many parameters.
    """
    found = count_parameters(preset.model)
    if found > MOST_PARAMETERS:
        raise ConfigError(
            n_(
                "{n} parameter is too many to train from here; at most {most}",
                "{n} parameters are too many to train from here; at most {most}",
                found,
            ).format(most=number(MOST_PARAMETERS))
        )
