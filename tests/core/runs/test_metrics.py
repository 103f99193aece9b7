"""What was measured of a run: while it trained, of the trained model, and in tables of runs."""

import json
import shutil
from dataclasses import asdict
from pathlib import Path

import pytest

from core.model import count_parameters
from core.runs.checkpoint import newest_checkpoint, weights_file
from core.runs.files import RunError
from core.runs.metrics import LONG, numbers_of_runs, read_record, read_rows
from core.runs.run import read_settings
from tests.core.conftest import GALLERY

ROWS = [{"step": step, "loss": 1 / (step + 1)} for step in (1, 20, 300, 4000)]
LINES = "".join(f"{json.dumps(row)}\n" for row in ROWS).encode()


def test_whole_lines_are_read_while_the_next_is_written(tmp_path):
    (tmp_path / "metrics.jsonl").write_bytes(LINES[:-3])
    assert read_rows(tmp_path) == ROWS[:-1]


def rows_of(*names):
    columns = numbers_of_runs([(name, GALLERY / name) for name in names]).table()
    assert tuple(columns) == LONG
    return list(zip(*columns.values(), strict=True))


def test_every_measurement_stands_in_a_row_of_its_own():
    rows = [row for row in rows_of("copy") if row[0] == "measured"]
    wanted = [
        ("measured", "copy", name, row["step"], value)
        for row in read_rows(GALLERY / "copy")
        for name, value in row.items()
        if name != "step"
    ]
    assert rows == wanted


def test_every_setting_stands_in_a_row_of_its_own_and_the_command_does_not():
    settings = {row[2]: row[4] for row in rows_of("translate") if row[0] == "setting"}
    stored = json.loads((GALLERY / "translate" / "run.json").read_text())
    assert settings["model.d_model"] == stored["model"]["d_model"]
    assert settings["training.adam_betas.1"] == stored["training"]["adam_betas"][1]
    assert settings["task"] == "translate"
    assert "command" not in settings


EVALUATION = {
    "exact_match": 0.25,
    "token_accuracy": 0.5,
    "bleu": 31.0,
    "bleu_tokens": "13a",
    "chrf": 42.0,
    "loss": 1.25,
    "n": 200,
    "seed": 0,
    "step": 30,
}


@pytest.fixture
def run(copy_folder, tmp_path):
    """A finished run that was evaluated, and may be changed."""
    path = Path(shutil.copytree(copy_folder, tmp_path / "run"))
    (path / "evaluation.json").write_text(json.dumps(EVALUATION))
    return path


def change(path, **values):
    """Change some values of a JSON file."""
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def let_patience(path):
    settings = json.loads((path / "run.json").read_text())
    change(path / "run.json", training=settings["training"] | {"patience": 3})


def measure(path, losses):
    """Let the training have measured these held-out losses at the steps 10, 20 …"""
    rows = [
        {"step": 10 * n, "seconds": 1.5 * n, "loss": 1.0, "held_out_loss": loss}
        for n, loss in enumerate(losses, start=1)
    ]
    (path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_a_finished_run_has_the_figures_of_its_evaluation(run):
    found = read_record(run)
    assert found.settings == read_settings(run)
    assert found.n_parameters == count_parameters(found.settings.model)
    assert asdict(found.results) | {"seed": 0} == EVALUATION | {
        "n_unfinished": 0,
        "own_pairs": None,
        "while_training": False,
    }
    assert found.seconds == read_rows(run)[-1]["seconds"]


def test_before_its_evaluation_a_run_has_the_figures_of_its_last_measurement(run):
    (run / "evaluation.json").unlink()
    last = [row for row in read_rows(run) if "held_out_loss" in row][-1]
    found = read_record(run).results
    assert (found.step, found.loss, found.n) == (last["step"], last["held_out_loss"], 10)
    assert found.exact_match == last["held_out_exact_match"]
    assert found.bleu == last["held_out_bleu"]


@pytest.mark.parametrize("step", [20, 40])
def test_an_evaluation_of_other_weights_than_the_run_opens_with_is_not_shown(run, step):
    measure(run, [4.0, 2.0, 3.0, 1.0])
    change(run / "evaluation.json", step=step, loss=1.9)
    assert (read_record(run).results.step, read_record(run).results.loss) == (30, 3.0)


def test_what_was_measured_after_the_weights_that_were_kept_is_not_shown(run):
    (run / "evaluation.json").unlink()
    newest_checkpoint(run).rename(run / "checkpoints" / weights_file(25))
    measure(run, [4.0, 2.0, 3.0])
    assert (read_record(run).results.step, read_record(run).results.loss) == (20, 2.0)


def test_with_patience_the_figures_are_those_of_the_best_weights(run):
    measure(run, [4.0, 2.0, 3.0])
    let_patience(run)
    shutil.rmtree(run / "best")
    (run / "best").mkdir()
    shutil.copy(newest_checkpoint(run), run / "best" / weights_file(20))
    (run / "evaluation.json").write_text(json.dumps({"step": 20, "n": 9, "loss": 1.9}))
    assert (read_record(run).results.step, read_record(run).results.loss) == (20, 1.9)
    (run / "evaluation.json").unlink()
    assert (read_record(run).results.step, read_record(run).results.loss) == (20, 2.0)


@pytest.mark.parametrize(
    ("tokens", "key"),
    [("13a", "held_out_bleu"), ("zh", "held_out_bleu_zh"), ("char", "held_out_bleu_char")],
)
def test_figures_say_what_bleu_counts(run, tokens, key):
    change(run / "evaluation.json", bleu_signature=f"nrefs:1|tok:{tokens}|version:2.6.0")
    assert read_record(run).results.bleu_tokens == tokens
    (run / "evaluation.json").unlink()
    row = {"step": 30, "seconds": 1.5, "held_out_loss": 2.0, key: 71.5}
    (run / "metrics.jsonl").write_text(json.dumps(row) + "\n")
    found = read_record(run).results
    assert (found.bleu, found.bleu_tokens) == (71.5, tokens)


def test_of_weights_that_a_step_has_spoiled_the_figures_before_are_shown(run):
    measure(run, [4.0, 2.0, float("nan")])
    (run / "evaluation.json").unlink()
    assert (read_record(run).results.step, read_record(run).results.loss) == (20, 2.0)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("run.json", "{"),
        ("evaluation.json", '{"bleu": -1}'),
        ("evaluation.json", '{"own_pairs": {"n": 3, "chrf": 100.5}}'),
        ("metrics.jsonl", '{"step": 1, "loss": 1' + "0" * 400 + "}\n"),
    ],
)
def test_a_damaged_file_is_named_with_its_run(run, name, content):
    (run / name).write_text(content)
    with pytest.raises(RunError, match=str(run)):
        read_record(run)
