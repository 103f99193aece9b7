"""Train a model from nothing to a run folder, measured at the end."""

import argparse
import shlex
import signal
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import get_args

from core.analysis.evaluation import evaluate
from core.commands.errors import CommandError
from core.commands.evaluate import summary
from core.config import Positions, TrainConfig
from core.run import is_run, load_run
from core.tasks import TASKS
from core.training.job import Progress, extend_run, prepare_run, train_run
from core.training.presets import PRESETS
from core.training.rundir import RunFolder

SECONDS_BETWEEN_LINES = 2.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take where to, what and how."""
    parser.add_argument("out", type=Path, metavar="OUT", help="the run folder to make")
    parser.add_argument(
        "--task",
        default="translate",
        help=f"{', '.join(TASKS)}, or a file of pairs (source TAB target)",
    )
    parser.add_argument("--preset", choices=list(PRESETS), default="small")
    parser.add_argument("--steps", type=int, help="default: the preset's")
    parser.add_argument(
        "--positions", choices=get_args(Positions), help="default: the preset's, sinusoidal"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--guide", metavar="SITE:HEAD", default="", help="a head to guide to the antecedent"
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with OUT from its newest checkpoint"
    )


def run(arguments: argparse.Namespace) -> None:
    """Train, showing how it goes, and store the evaluation with the run."""
    started = time.perf_counter()
    if arguments.resume:
        _check_resumable(arguments)
    else:
        prepare(arguments)
    _show(arguments.out)
    figures = evaluate(load_run(arguments.out))
    RunFolder(arguments.out).write_json("evaluation.json", figures)
    for line in summary(figures):
        print(line)
    print(f"{time.perf_counter() - started:.1f} s in all")


def prepare(arguments: argparse.Namespace) -> None:
    """Make the run folder from the preset and what the options change of it."""
    preset = PRESETS[arguments.preset]
    if arguments.positions is not None:
        preset = replace(preset, model=replace(preset.model, positions=arguments.positions))
    config = replace(preset.training, seed=arguments.seed, guide=arguments.guide)
    if arguments.steps is not None:
        config = with_steps(config, arguments.steps)
    try:
        prepare_run(
            arguments.out, arguments.task, arguments.preset, preset, config, command(arguments)
        )
    except FileExistsError as error:
        raise CommandError(f"{error}; name another folder, or go on with it by --resume") from error


def with_steps(config: TrainConfig, steps: int) -> TrainConfig:
    """Return the settings for more or fewer steps, with the cooldown's share kept."""
    return replace(config, steps=steps, cooldown=config.cooldown * steps // config.steps)


def command(arguments: argparse.Namespace) -> str:
    """Return the command that makes the same run again."""
    words = ["python", "-m", "core", "train", str(arguments.out)]
    words += ["--task", arguments.task, "--preset", arguments.preset]
    words += ["--steps", str(arguments.steps)] if arguments.steps is not None else []
    words += ["--positions", arguments.positions] if arguments.positions is not None else []
    words += ["--seed", str(arguments.seed)]
    words += ["--guide", arguments.guide] if arguments.guide else []
    return shlex.join(words)


def _check_resumable(arguments: argparse.Namespace) -> None:
    if not is_run(arguments.out):
        raise CommandError(f"{arguments.out} is no run to go on with")
    if arguments.steps is not None:
        extend_run(arguments.out, arguments.steps)


def _show(path: Path) -> None:
    """Train, and print a line every few seconds and at every measurement.

    Raises:
        KeyboardInterrupt: It was stopped; the step under way was finished and kept.
    """
    last_line = 0.0
    with _interrupts() as asked, closing(train_run(path)) as training:
        for progress in training:
            now = time.perf_counter()
            if progress.held_out is not None or now - last_line > SECONDS_BETWEEN_LINES:
                last_line = now
                print(line(progress), flush=True)
            if asked:
                break
    if asked:
        print(f"stopped at step {progress.train_step.step}; go on with --resume", flush=True)
        raise KeyboardInterrupt


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Note the first Ctrl-C, so that a step is never cut in half; a second one is not held back."""
    asked: list[int] = []

    def note(number: int, frame: object) -> None:
        asked.append(number)
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


def line(progress: Progress) -> str:
    """Return one step as a line to read."""
    step, quality = progress.train_step, progress.held_out
    parts = [
        f"step {step.step}",
        f"loss {step.loss:.4f}",
        f"{step.n_tokens / step.seconds:,.0f} tokens/s",
    ]
    if step.guide_loss is not None:
        parts.append(f"guided head {step.guide_loss:.4f}")
    if quality is not None:
        parts.append(f"held out: loss {quality.loss:.4f}, exact match {quality.exact_match:.1%}")
    return "   ".join(parts)
