import json
import shutil

import pytest

from core.runs.checkpoint import newest_checkpoint
from core.runs.run import RunError, load_run


@pytest.fixture
def folder(copy_folder, tmp_path):
    """A copy of a good run, to be damaged."""
    return shutil.copytree(copy_folder, tmp_path / "run")


def rewrite(path, change):
    stored = json.loads(path.read_text())
    change(stored)
    path.write_text(json.dumps(stored))


def test_a_good_run_is_loaded_with_all_that_belongs_to_it(copy_folder, miniature):
    run = load_run(copy_folder)
    assert (run.path, run.name, run.step) == (copy_folder, "copy", 30)
    assert run.settings.task == "copy"
    assert run.settings.training == miniature.training
    assert run.settings.model.vocab_size == run.tokenizer.vocab_size
    assert not run.model.training
    assert run.known_words == set("abcdefghijklmnopqrstuvwxyz")
    assert run.evaluation is None
    assert {"torch", "tokenizers", "python"} <= set(run.settings.versions)


EVALUATION = {"exact_match": 0.5, "n": 10, "seed": 0, "pronoun": None, "heads": []}
HEAD = {"site": "encoder.0.self", "head": 0, "score": 1, "baseline": 0, "silenced_accuracy": 1}


@pytest.mark.parametrize(
    "damage",
    [
        "{,",
        {"pronoun": {"accuracy": 1.5, "n": 2, "baselines": {}}},
        {"heads": [{**HEAD, "site": "encoder.9.self"}]},
        {"heads": [{**HEAD, "head": 99}]},
    ],
)
def test_a_damaged_evaluation_is_named(folder, damage):
    text = damage if isinstance(damage, str) else json.dumps({**EVALUATION, **damage})
    (folder / "evaluation.json").write_text(text)
    with pytest.raises(RunError, match=r"evaluation\.json is damaged"):
        load_run(folder)


def test_the_checkpoint_with_the_most_steps_is_loaded(folder):
    [first] = (folder / "checkpoints").glob("step-00000030.safetensors")
    # As text, step-9… would come last.
    shutil.copy(first, first.with_name("step-9.safetensors"))
    shutil.copy(first, first.with_name("step-00000101.safetensors"))
    shutil.copy(first, first.with_name("step-00000999.state.safetensors"))
    shutil.copy(first, first.with_name("step-best.safetensors"))
    (folder / "checkpoints" / ".step-00000200.safetensors.x1").write_bytes(b"half")
    assert newest_checkpoint(folder).name == "step-00000101.safetensors"
    assert load_run(folder).step == 101


SETTINGS = {
    "format": {"format": 2},
    "speed": {"training": {"speed": 1}},
    "n_heads is 'two'": {"model": {"n_heads": "two"}},
    "291": {"model": {"vocab_size": 291}},
    "step-00000030.safetensors": {"model": {"d_ff": 64}},
}
"""What is named → what run.json says otherwise."""
FILES = {
    "run.json is missing": ("run.json", None),
    "run.json is damaged": ("run.json", b'{"format": 1'),
    "tokenizer.json is missing": ("tokenizer.json", None),
    "tokenizer.json": ("tokenizer.json", b"{"),
    "words.txt is missing": ("words.txt", None),
    "no checkpoint": ("checkpoints/step-00000030.safetensors", None),
    "step-00000030.safetensors": ("checkpoints/step-00000030.safetensors", b"\x10\x00"),
}
"""What is named → a file, and what is in it; None where it is missing."""


def refusal(folder):
    with pytest.raises(RunError) as refused:
        load_run(folder)
    assert str(refused.value).startswith(f"{folder}: ")
    return str(refused.value)


@pytest.mark.parametrize("named", SETTINGS)
def test_settings_that_cannot_be_are_named_with_the_folder(folder, named):
    def change(stored):
        for name, value in SETTINGS[named].items():
            stored[name] = stored[name] | value if isinstance(value, dict) else value

    rewrite(folder / "run.json", change)
    assert named in refusal(folder)


@pytest.mark.parametrize("named", FILES)
def test_a_damaged_file_is_named_with_the_folder(folder, named):
    name, content = FILES[named]
    (folder / name).unlink() if content is None else (folder / name).write_bytes(content)
    assert named in refusal(folder)


WIDE = {"d_model": 2**23, "d_ff": 2**23, "max_positions": 1}
"""Of 1 PB of weights, of which each matrix is one that could be."""


def test_a_model_is_compared_with_its_weights_before_memory_is_asked_for(folder):
    rewrite(folder / "run.json", lambda s: s["model"].update(WIDE))
    for step in (None, 0):
        with pytest.raises(RunError, match="holds other weights than run.json describes"):
            load_run(folder, step)
    shutil.rmtree(folder / "checkpoints")
    with pytest.raises(RunError, match="too large to be made from nothing"):
        load_run(folder, 0)
