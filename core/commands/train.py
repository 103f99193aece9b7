"""Train a model from nothing to a run folder, measured at the end."""

import argparse
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..config import ModelConfig
from ..config.styles import STYLES
from ..config.training import TrainConfig
from ..runs.settings import read_settings
from ..tasks import NEED_PAIRS, PREDICTS, TASKS, Mixed, Task
from ..tasks.columns import Reading
from ..tasks.corpus import HELD_OUT, Corpus, LargeCorpus, own_pairs_of, read_corpus
from ..tasks.pairs import TooLargeError
from ..training.presets import (
    PRESETS,
    SETTINGS,
    SHORT,
    Setting,
    parse_setting,
    train_command,
    vocabulary_for,
    with_settings,
)
from . import options
from .evaluate import summary
from .options import (
    SECONDS_BETWEEN_LINES,
    CommandError,
    add_columns,
    progress_printer,
)

if TYPE_CHECKING:
    from ..training.trainer import Progress

TASK, PRESET = "translate", "small"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take where to, what and how."""
    add = parser.add_argument
    add("out", type=Path, metavar="OUT", help="the run folder to make")
    add(
        "--task",
        nargs="+",
        metavar="TASK",
        help=f"{', '.join(TASKS)}, or a file of pairs (source TAB target, CSV or JSON Lines, "
        "also in gzip), "
        f"or two files of lines that belong together; default: {TASK}",
    )
    for part, why in (("valid", "watch the training by"), ("test", "measure the model by")):
        add(
            f"--{part}",
            nargs="+",
            metavar="FILE",
            help=f"pairs to {why}, as --task takes them; default: a twentieth of its sources",
        )
    add_columns(parser)
    add(
        "--beside",
        choices=list(TASKS),
        help="a task whose sentences are learned beside the pairs of --task, "
        "in the share that --set made_share=0.5 names",
    )
    add("--preset", choices=list(PRESETS), help=f"default: {PRESET}")
    add(
        "--positions",
        choices=ModelConfig.choices()["positions"],
        help="default: the preset's, sinusoidal",
    )
    add(
        "--like",
        choices=list(STYLES),
        help="another kind of Transformer, as small: an encoder alone fills in masked tokens, a "
        "decoder alone goes on from the source",
    )
    add("--steps", type=options.whole(1, 10**9), help="default: the preset's")
    add("--seed", type=options.seed, help="default: 0")
    add(
        "--start",
        type=options.run_folder,
        metavar="RUN",
        help="begin with the model and tokenizer of a run",
    )
    add("--guide", metavar="SITE:HEAD", help="a head to guide to the antecedent")
    add(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change a setting of the preset (n_heads=8, dropout=0.1, patience=3 …): see below",
    )
    add("--resume", action="store_true", help="go on with OUT from its newest checkpoint")
    for part, names in SETTINGS.items():
        title = f"settings of the {part}, for --set"
        parser.add_argument_group(title, ", ".join(map(_setting_help, names)))


def _setting_help(name: str) -> str:
    """Return a setting's name, with the words that are its values if it has such."""
    words = (ModelConfig.choices() | TrainConfig.choices()).get(name, ())
    return f"{name}={'|'.join(words)}" if words else name


def run(arguments: argparse.Namespace) -> None:
    """Train, showing how it goes, and store the evaluation with the run."""
    from ..runs.run import load_run
    from ..training.workers import workers

    started = time.perf_counter()
    with workers() as (team, device):
        if team.leads and arguments.resume:
            _check_resumable(arguments)
        elif team.leads:
            prepare(arguments)
        # No process begins before the folder is there.
        team.agreed(0, device)
        _show(arguments.out, team.leads)
    if team.leads:
        print(*summary(dict(load_run(arguments.out).evaluation or {})), sep="\n")
        print(f"{time.perf_counter() - started:.1f} s in all")


def prepare(arguments: argparse.Namespace) -> None:
    """Make the run folder from the preset and what the options change of it."""
    from ..training.prepare import prepare_run, with_model_of

    changes = _changes(arguments)
    files = {part: getattr(arguments, part) or [] for part in ("task", "valid", "test")}
    files["task"] = files["task"] or [TASK]
    preset_name = arguments.preset or PRESET
    start: Path | None = arguments.start
    reading, beside = arguments.columns or Reading(), arguments.beside
    task = _task(**files, beside=beside, reading=reading)
    if (suitable := _vocabulary(task)) and "vocab_size" not in changes and start is None:
        changes["vocab_size"] = suitable
    if task.name in PREDICTS:
        changes.setdefault("predicts", PREDICTS[task.name])
    if "made_share" in changes and not arguments.beside:
        raise CommandError("made_share is the share of --beside TASK, which is not given")
    preset = with_settings(PRESETS[preset_name], changes)
    if start is not None:
        preset = with_model_of(start, preset, changes)
    columns = ",".join(map(str, reading.columns))
    others = {"columns": columns, "beside": beside, "start": str(start) if start else ""}
    named = files | {name: [value] if value else [] for name, value in others.items()}
    command = train_command(arguments.out, named, preset_name, changes)
    # Only a large corpus takes long enough to print anything.
    tell = progress_printer(
        "split to tokens:", task.n_train if isinstance(task, LargeCorpus) else None
    )
    n_left_out = prepare_run(arguments.out, task, preset_name, preset, command, tell, start)
    if suitable:
        learned = read_settings(arguments.out).model.vocab_size
        print(f"{learned:,} tokens in the vocabulary (--set vocab_size=N for another size)")
    print("".join(f"{line}\n" for line in _split(task)), end="", flush=True)
    if n_left_out:
        print(f"warning: pairs left out, longer than the model's positions: {n_left_out:,}")


def _changes(arguments: argparse.Namespace) -> dict[str, Setting]:
    """Return the settings that the options change."""
    changes = dict(map(parse_setting, arguments.set))
    short = {name: getattr(arguments, name) for name in SHORT}
    short = {name: value for name, value in short.items() if value is not None}
    if twice := sorted(set(changes) & set(short)):
        raise CommandError(f"{twice[0]} is given twice: by --{twice[0]} and by --set {twice[0]}")
    return changes | short


def _task(
    task: list[str], valid: list[str], test: list[str], beside: str | None, reading: Reading
) -> Task:
    """Return the task that is named, or the one that files make, beside another if asked for."""
    if too_many := [names for names in (task, valid, test) if len(names) > 2]:
        raise CommandError(f"{' '.join(too_many[0])}: one file of pairs, or two files of lines")
    if task[0] in NEED_PAIRS:
        raise CommandError(f"{task[0]} is learned beside pairs: --task FILE --beside {task[0]}")
    if task[0] in TASKS:
        if len(task) > 1 or valid or test or beside or reading != Reading():
            raise CommandError(
                f"the task {task[0]!r} makes its sentences; --valid, --test, --beside and "
                "--columns are for files of pairs"
            )
        return TASKS[task[0]]
    # The message says what else would do.
    if len(task) == 1 and not Path(task[0]).exists():
        raise CommandError(f"{task[0]!r} is neither a file nor one of the tasks {', '.join(TASKS)}")
    train, valid_files, test_files = (list(map(Path, names)) for names in (task, valid, test))
    try:
        pairs = read_corpus(train, valid_files, test_files, reading)
    except TooLargeError as error:
        if beside:
            text = "--beside takes no more pairs than can be held in memory"
            raise CommandError(text) from error
        return LargeCorpus(train, valid_files, test_files, progress_printer("read:"), reading)
    return Mixed(TASKS[beside], pairs) if beside else pairs


def _vocabulary(task: Task) -> int:
    """Return how many tokens suit the pairs of the user's first file; 0 for another task."""
    own = own_pairs_of(task)
    if isinstance(own, LargeCorpus):
        return vocabulary_for(own.n_pairs, own.to_learn_from())
    return vocabulary_for(len(own.samples), own.samples) if isinstance(own, Corpus) else 0


def _split(task: Task) -> list[str]:
    """Return lines that say which of the user's pairs are for what; none for another task."""
    own = own_pairs_of(task)
    if not isinstance(own, Corpus | LargeCorpus):
        return []
    counts = {"train": own.n_train} | {part: len(own.part(part)) for part in HELD_OUT[::-1]}
    lines = [", ".join(f"{part} {n:,} pairs" for part, n in counts.items()), *own.notes]
    if isinstance(own, Corpus) and own.n_repeated:
        lines.append(f"pairs that are repeated, and learned once: {own.n_repeated:,}")
    for (one, other), n in own.in_both().items():
        lines.append(f"warning: {n:,} sources of {one} are in {other}, too")
    return lines


def _check_resumable(arguments: argparse.Namespace) -> None:
    """Refuse to go on with other settings, and change the number of steps and the share."""
    from ..runs.folder import TRAINING
    from ..training.prepare import extend_run, require_state

    require_state(arguments.out)
    TRAINING.forget(arguments.out)
    names = ("task", "valid", "test", "beside", "preset", "start", "columns", *SHORT)
    fixed = [name for name in names if name != "steps" and getattr(arguments, name) is not None]
    changes = dict(map(parse_setting, arguments.set))
    share = changes.pop("made_share", None)
    if fixed or changes:
        raise CommandError(
            f"--resume goes on with the run's own settings; only --steps and --set made_share can "
            f"change, not {', '.join([*fixed, *changes])}"
        )
    if arguments.steps is not None or share is not None:
        extend_run(arguments.out, arguments.steps, None if share is None else float(share))


def _show(path: Path, aloud: bool) -> None:
    """Train, and print a line every few seconds and at every measurement.

    Raises:
        KeyboardInterrupt: It was stopped; the step under way was finished and kept.
    """
    from ..training.process import situation
    from ..training.trainer import complete_run

    last_line = 0.0
    progress = None
    with _interrupts(path, aloud) as interrupted:
        for progress in complete_run(path):
            now = time.perf_counter()
            if progress.held_out is not None or now - last_line > SECONDS_BETWEEN_LINES:
                last_line = now
                if aloud:
                    print(line(progress), flush=True)
    paused = bool(interrupted) or (aloud and situation(path).state == "paused")
    if paused:
        if progress is not None and aloud:
            print(f"stopped at step {progress.train_step.step}; go on with --resume", flush=True)
        raise KeyboardInterrupt


@contextmanager
def _interrupts(path: Path, aloud: bool) -> Iterator[list[int]]:
    """Turn the first Ctrl-C into a wish to pause, so that a step is never cut in half.

    A second one is not held back.
    """
    from ..runs.folder import TRAINING

    asked: list[int] = []

    def note(number: int, frame: object) -> None:
        asked.append(number)
        if aloud:
            TRAINING.ask(path, "pause")
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


def line(progress: "Progress") -> str:
    """Return one step as a line to read."""
    step, quality = progress.train_step, progress.held_out
    parts = [
        f"step {step.step}",
        f"loss {step.loss:.4f}" if step.reward is None else f"reward {step.reward:.4f}",
        f"{step.n_tokens / step.seconds:,.0f} tokens/s",
    ]
    if quality is not None:
        parts.append(f"held out: loss {quality.loss:.4f}, exact match {quality.exact_match:.1%}")
    return "   ".join(parts)
