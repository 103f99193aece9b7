import functools
import json
import shlex
import shutil
import signal
import subprocess
import sys

import pytest

from core.commands import train
from core.decoding.sentence import translate
from core.evaluate.evaluation import evaluate
from core.runs.run import load_run, read_settings
from core.tasks import pairs as pairs_module
from core.tasks.pairs import read_pairs
from core.training import export, trainer
from core.training.prepare import extend_run
from core.training.presets import PRESETS
from core.training.process import situation


@pytest.fixture(autouse=True)
def quickly(few_samples, monkeypatch, miniature):
    """The commands as they are, on a smaller preset and measured on fewer samples."""
    for module in (trainer, export):
        monkeypatch.setattr(module, "evaluate", functools.partial(evaluate, n=10))
    monkeypatch.setitem(PRESETS, "tiny", miniature)


def train_copies(out, *options):
    return ("train", out, "--task", "copy", "--preset", "tiny", *options)


def test_training_makes_a_run_with_its_evaluation(command, tmp_path):
    status, out, error = command(*train_copies(tmp_path / "run", "--steps", "3", "--seed", "5"))
    assert (status, error) == (0, "")
    run = load_run(tmp_path / "run")
    assert run.step == 3
    assert (run.settings.preset, run.settings.training.seed) == ("tiny", 5)
    assert run.evaluation == evaluate(run, n=10)
    assert {each.name for each in (tmp_path / "run").iterdir()} == {
        "run.json",
        "tokenizer.json",
        "words.txt",
        "metrics.jsonl",
        "evaluation.json",
        "status.json",
        "checkpoints",
        "snapshots",
        "best",
        ".lock",
    }
    assert "step 3" in out
    assert "exact match" in out


def test_ctrl_c_finishes_the_step_and_says_how_to_go_on(command, tmp_path, monkeypatch):
    def measured(*arguments):
        if not pressed:
            pressed.append(signal.raise_signal(signal.SIGINT))
        return line(*arguments)

    pressed, line, before = [], train.line, signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(train, "line", measured)
    status, out, _error = command(*train_copies(tmp_path / "run", "--steps", "6"))
    assert status == 130
    assert "stopped at step 2; go on with --resume" in out
    assert load_run(tmp_path / "run").step == 2
    assert signal.getsignal(signal.SIGINT) is before
    status, out, error = command("train", tmp_path / "run", "--resume")
    assert (status, error) == (0, "")
    assert load_run(tmp_path / "run").step == 6


def test_settings_that_cannot_change_are_refused_when_going_on(command, refused, tmp_path):
    command(*train_copies(tmp_path / "run", "--steps", "1"))
    for options in (("--seed", "0"), ("--set", "dropout=0.5"), ("--valid", "none.tsv")):
        said = refused("train", tmp_path / "run", "--resume", *options)
        assert "only --steps and --set made_share can change" in said


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "my pairs.tsv"
    lines = ["english\tfrench"] + [f"cat {n}\tchat {n}" for n in range(60)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_a_file_of_pairs_is_trained_translated_inspected_and_evaluated(command, tmp_path, pairs):
    out = tmp_path / "run"
    status, _, _ = command("train", out, "--task", pairs, "--preset", "tiny", "--steps", "3")
    assert status == 0
    # The run has the pairs itself, and needs the user's file no more.
    assert load_run(out).settings.task == "pairs.tsv"
    given, kept = (read_pairs(file.read_bytes(), "") for file in (pairs, out / "pairs.tsv"))
    assert kept.samples == given.samples
    pairs.unlink()
    assert command("translate", out, "cat 7")[0] == 0
    status, said, _ = command("inspect", out, "cat 7", "--target", "chat 7", "--json")
    assert status == 0
    assert json.loads(said)["source"]["tokens"][-1] == "EOS"
    status, said, _ = command("evaluate", out, "--json")
    assert status == 0
    assert 0 < json.loads(said)["n"] < 60
    assert command("train", out, "--resume", "--steps", "4")[0] == 0
    (out / "pairs.tsv").unlink()
    status, _, error = command("evaluate", out)
    assert status == 2
    assert "pairs.tsv" in error


@pytest.fixture
def parts(tmp_path):
    """Three parts with files of their own, as lines and as columns, one source in two of them."""
    for language, word in (("en", "cat"), ("fr", "chat")):
        lines = "".join(f"{word} {n}\r\n" for n in range(40))
        (tmp_path / f"train.{language}").write_bytes(lines.encode())
    for part, first in (("valid", 40), ("test", 39)):
        rows = [f"cat {n}\tchat {n}\n" for n in range(first, first + 6)]
        (tmp_path / f"{part}.tsv").write_text("".join(rows))
    train = ["--task", tmp_path / "train.en", tmp_path / "train.fr"]
    return [*train, "--valid", tmp_path / "valid.tsv", "--test", tmp_path / "test.tsv"]


def test_three_parts_are_watched_by_one_and_measured_by_another(command, tmp_path, parts):
    out = tmp_path / "run"
    status, said, _ = command("train", out, *parts, "--preset", "tiny", "--steps", "3")
    assert status == 0
    assert "train 40 pairs, valid 6 pairs, test 6 pairs\n" in said
    assert "1 sources of train are in test, too" in said
    assert "5 sources of valid are in test, too" in said
    assert load_run(out).evaluation["n"] == 6
    rows = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert {row["held_out_n"] for row in rows if "held_out_n" in row} == {6}
    # Trained again by the command that is kept with it.
    words = shlex.split(load_run(out).settings.command)
    chosen = ["--steps", "3", "--set", "vocab_size=320"]
    assert words[5:] == [*map(str, parts), "--preset", "tiny", *chosen]
    assert command("train", out, "--resume", "--steps", "4")[0] == 0


@pytest.mark.slow
def test_pairs_are_learned_beside_sentences_that_a_task_makes(command, tmp_path, pairs):
    out = tmp_path / "run"
    options = ["--beside", "translate", "--preset", "tiny", "--steps", "10"]
    status, said, _ = command("train", out, "--task", pairs, *options)
    assert status == 0
    run = load_run(out)
    own = run.evaluation["own_pairs"]
    assert own["n"] == 3
    assert f"own pairs: exact match {own['exact_match']:.2%} of 3" in said
    assert (run.settings.task, (out / "pairs.tsv").is_file()) == ("translate", True)
    assert run.known_words & {"the", "The"}
    assert "cat" in run.known_words
    assert command("train", out, "--resume", "--steps", "11")[0] == 0
    assert command("export", out, tmp_path / "small", "--without-pairs")[0] == 0
    assert not (tmp_path / "small" / "pairs.tsv").exists()
    assert load_run(tmp_path / "small").evaluation["pronoun"]
    # What was measured on the pairs stays.
    assert load_run(tmp_path / "small").evaluation["own_pairs"]["n"] == 3


def test_pairs_too_many_for_memory_are_trained_on_from_tokens_on_the_disk(
    command, tmp_path, pairs, monkeypatch
):
    monkeypatch.setattr(pairs_module, "MOST_PAIRS", 50)
    out = tmp_path / "run"
    options = ["--task", pairs, "--preset", "tiny", "--set", "batch_tokens=40"]
    status, said, _ = command("train", out, *options, "--steps", "3")
    assert status == 0
    assert not (out / "pairs.tsv").exists()
    assert (out / "tokens" / "ids.bin").stat().st_size > 100
    pairs.unlink()
    assert command("train", out, "--resume", "--steps", "6")[0] == 0
    assert load_run(out).step == 6
    assert command("evaluate", out)[0] == 0
    assert situation(out).can_go_on is False  # It has done its steps.
    extend_run(out, 7)
    assert situation(out).can_go_on is True
    shutil.rmtree(out / "tokens")
    assert situation(out).can_go_on is False
    status, _, error = command("train", out, "--resume", "--steps", "7")
    assert status == 2
    assert "the pairs to learn from are not kept here" in error


def test_columns_are_named_lines_left_out_and_the_stored_command_does_the_same(command, tmp_path):
    rows = "".join(f"{n};word {n};mot {n};Wort {n}\n" for n in range(30))
    (tmp_path / "pairs.csv").write_text(f"id;en;fr;de\n{rows}30;word;;\n", encoding="utf-8")
    options = ("--task", tmp_path / "pairs.csv", "--columns", "de,en", "--preset", "tiny")
    status, said, error = command("train", tmp_path / "run", *options, "--steps", "1")
    assert (status, error) == (0, "")
    assert "pairs.csv: the first line names columns: id, en, fr, de\n" in said
    assert "left out (1): line 32: the source is empty\n" in said
    assert "Wort 3\tword 3\n" in (tmp_path / "run" / "pairs.tsv").read_text(encoding="utf-8")
    assert "--columns de,en" in read_settings(tmp_path / "run").command


@pytest.mark.slow
def test_the_copy_task_is_learned(tmp_path, pytestconfig):
    out = tmp_path / "run"
    # In a process of its own, where nothing is made smaller.
    options = ["train", str(out), "--task", "copy", "--preset", "tiny"]
    subprocess.run([sys.executable, "-m", "core", *options], cwd=pytestconfig.rootpath, check=True)
    figures = json.loads((out / "evaluation.json").read_text())
    assert figures["n"] == 2000
    assert figures["exact_match"] >= 0.999
    for sentence in ("t r a n s f o r m e r", "a a a b b b a a"):
        assert translate(load_run(out), sentence).text == sentence


@pytest.mark.slow
def test_the_share_of_made_sentences_can_change_when_going_on(command, refused, tmp_path, pairs):
    out = tmp_path / "run"
    options = ("--task", pairs, "--beside", "translate", "--preset", "tiny", "--steps", "2")
    command("train", out, *options, "--set", "made_share=0.3")
    first = read_settings(out).command
    again = ("train", out, "--resume", "--steps", "3", "--set", "made_share=0.6")
    status, _out, _error = command(*again)
    assert status == 0
    found = read_settings(out)
    assert (found.training.steps, found.training.made_share) == (3, 0.6)
    then = f"python -m core train {out} --resume --steps 3 --set made_share=0.6  # from step 2 on"
    assert found.command.splitlines() == [first, then]
    assert load_run(out).step == 3
    said = refused("train", out, "--resume", "--set", "made_share=2")
    assert "made_share" in said
    assert read_settings(out).training.made_share == 0.6
