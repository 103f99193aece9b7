import pytest

from core.config import ConfigError
from core.runs.checkpoint import newest_checkpoint
from core.runs.run import RunError, read_settings
from core.training.extend import extend_run
from tests.core.training.test_trainer import finish


def test_an_extended_run_says_both_commands_that_make_it_again(prepare, tmp_path):
    path = prepare(tmp_path / "my run", steps=3)
    first = read_settings(path).command
    extend_run(path, 3)
    assert read_settings(path).command == first
    finish(path)
    extend_run(path, 5)
    assert read_settings(path).command.splitlines() == [
        first,
        f"python -m core train '{path}' --resume --steps 5  # from step 3 on",
    ]


def test_fewer_steps_than_were_done_are_refused(prepare, tmp_path):
    path = prepare(tmp_path / "run", steps=3)
    finish(path)
    with pytest.raises(ConfigError, match="steps is 2, but .* has done 3"):
        extend_run(path, 2)
    assert read_settings(path).training.steps == 3


def test_a_run_without_its_optimizer_is_not_extended(prepare, tmp_path):
    path = prepare(tmp_path / "run", steps=3)
    finish(path)
    newest_checkpoint(path).with_suffix(".state.safetensors").unlink()
    with pytest.raises(RunError, match="its optimizer was not kept, so it cannot go on"):
        extend_run(path, 5)
    assert read_settings(path).training.steps == 3


def test_extending_to_no_steps_is_refused(prepare, tmp_path):
    path = prepare(tmp_path / "run", steps=3)
    with pytest.raises(ConfigError, match="steps is 0"):
        extend_run(path, 0)
    assert read_settings(path).training.steps == 3
