"""What is kept of a training: metrics, checkpoints, snapshots, the best weights."""

import time
from collections.abc import Sequence
from statistics import fmean

import torch

from core.evaluate.metrics import Quality
from core.model import Transformer
from core.runs.checkpoint import is_snapshot_step
from core.runs.folder import TRAINING, RunFolder
from core.runs.metrics import BLEU_KEYS, read_metrics
from core.training.loop import TrainStep

METRICS_EVERY = 10
"""So many steps make one line of metrics.jsonl, with their mean losses."""
SECONDS_BETWEEN_LIVE = 2.0
"""Weights for whoever watches are written no more often than this …"""
SHARE_FOR_LIVE = 0.05
"""… and take no more of the time."""


class Keeper:
    """Writes what a training does into its folder."""

    def __init__(
        self,
        folder: RunFolder,
        model: Transformer,
        optimizer: torch.optim.Optimizer,
        words: set[str],
        step: int,
        keep: int = 1,
    ) -> None:
        """Forget what was kept after the step from which training goes on."""
        self.folder, self.model, self.optimizer, self.words = folder, model, optimizer, words
        self.step = self.kept = step
        self._keep = keep
        folder.clear_torn()
        folder.forget_after(step)
        rows, _ = read_metrics(folder.path)
        self.seconds = next((float(row["seconds"]) for row in rows[::-1] if "seconds" in row), 0.0)
        self.held_out_losses = [row["held_out_loss"] for row in rows if "held_out_loss" in row]
        self._unwritten: list[TrainStep] = []
        self._next_live = time.perf_counter() + SECONDS_BETWEEN_LIVE
        folder.write_status("running", step)

    def note(self, train_step: TrainStep, quality: Quality | None) -> None:
        """Count a step; every few of them, and every measured one, make a line of metrics."""
        self.step = train_step.step
        self.seconds += train_step.seconds
        self._unwritten.append(train_step)
        if quality is not None:
            if quality.loss < min(self.held_out_losses, default=float("inf")):
                self.folder.keep_best(self.model, self.step)
            self.held_out_losses.append(quality.loss)
        if self.step % METRICS_EVERY == 0 or quality is not None:
            self._write(quality)
        if is_snapshot_step(self.step):
            self.folder.snapshot(self.model, self.step, self.words)
        self._show()

    def evaluations_without_gain(self) -> int:
        """Return how many times in a row the held-out loss was not lower than ever before."""
        losses = self.held_out_losses
        return len(losses) - 1 - losses.index(min(losses)) if losses else 0

    def keep(self) -> None:
        """Write a checkpoint, from which training can go on, unless there is one."""
        if self._unwritten:
            self._write(None)
        if self.step > self.kept:
            self.folder.checkpoint(self.model, self.optimizer, self.step, self.words, self._keep)
            self.kept = self.step

    def _show(self) -> None:
        """Write the weights as they are now, if somebody watches and the last ones are old."""
        now = time.perf_counter()
        if now < self._next_live or not TRAINING.is_watched(self.folder.path):
            return
        self.folder.keep_live(self.model, self.step, self.words)
        took = time.perf_counter() - now
        self._next_live = now + max(SECONDS_BETWEEN_LIVE, took / SHARE_FOR_LIVE)

    def _write(self, quality: Quality | None) -> None:
        self.folder.add_metrics(_metrics(self._unwritten, self.seconds, quality))
        self._unwritten.clear()


def _metrics(
    steps: Sequence[TrainStep], seconds: float, quality: Quality | None
) -> dict[str, float]:
    """Return one line of metrics: the means of some steps, and the quality after the last."""
    record: dict[str, float] = {
        "step": steps[-1].step,
        "seconds": round(seconds, 3),
        **_learned(steps),
        "learning_rate": steps[-1].learning_rate,
        "tokens_per_second": sum(step.n_tokens for step in steps)
        / sum(step.seconds for step in steps),
    }
    guide_losses = [step.guide_loss for step in steps if step.guide_loss is not None]
    if guide_losses:
        record["guide_loss"] = fmean(guide_losses)
    if quality is not None:
        record["held_out_loss"] = quality.loss
        record["held_out_exact_match"] = quality.exact_match
        record["held_out_token_accuracy"] = quality.token_accuracy
        record[BLEU_KEYS[quality.bleu.tokens]] = quality.bleu.score
        record["held_out_chrf"] = quality.chrf
        record["held_out_n"] = quality.n
        record["held_out_n_unfinished"] = quality.n_unfinished
    return record


def _learned(steps: Sequence[TrainStep]) -> dict[str, float]:
    """Return the mean loss, or the mean reward where that was made large."""
    rewards = [step.reward for step in steps if step.reward is not None]
    return {"reward": fmean(rewards)} if rewards else {"loss": fmean(step.loss for step in steps)}
