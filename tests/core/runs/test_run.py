import json
import re
import shutil

import pytest
import torch

from core.runs.checkpoint import newest_checkpoint
from core.runs.files import is_run
from core.runs.metrics import read_record
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


def test_stored_evaluation_is_loaded(folder):
    stored = {**EVALUATION, "heads": [HEAD]}
    (folder / "evaluation.json").write_text(json.dumps(stored))
    assert load_run(folder).evaluation == stored


@pytest.mark.parametrize(
    "damage",
    [
        "{,",
        "[]",
        {"exact_match": None},
        {"seed": "x"},
        {"exact_match": float("nan")},
        {"exact_match": 1e308},
        {"pronoun": {"accuracy": 1.5, "n": 2, "baselines": {}}},
        {"pronoun": {"accuracy": 0.5, "n": 2, "baselines": {"first_noun": float("inf")}}},
        {"heads": [{**HEAD, "score": -0.5}]},
        {"pronoun": {}},
        {"heads": None},
        {"heads": [{**HEAD, "site": "encoder.9.self"}]},
        {"heads": [{**HEAD, "head": 99}]},
    ],
)
def test_an_evaluation_that_is_none_is_left_out_and_named(folder, damage):
    text = damage if isinstance(damage, str) else json.dumps({**EVALUATION, **damage})
    (folder / "evaluation.json").write_text(text)
    run = load_run(folder)
    assert run.evaluation is None
    assert f"{folder}: evaluation.json" in run.damage


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


def test_no_folder_is_no_run(tmp_path):
    with pytest.raises(RunError, match=re.escape(f"{tmp_path / 'none'}: no such folder")):
        load_run(tmp_path / "none")
    assert not is_run(tmp_path / "none")


def test_a_damaged_run_still_claims_to_be_one(folder):
    (folder / "run.json").write_text("{")
    assert is_run(folder)


DAMAGES = {
    "missing run.json": ("run.json", lambda path: path.unlink()),
    "broken JSON": ("run.json", lambda path: path.write_text('{"format": 1')),
    "wrong format": ("run.json", lambda path: rewrite(path, lambda s: s.update(format=2))),
    "no versions": ("run.json", lambda path: rewrite(path, lambda s: s.update(versions=3))),
    "model is a list": ("run.json", lambda path: rewrite(path, lambda s: s.update(model=[1]))),
    "unknown model setting": (
        "colour",
        lambda path: rewrite(path.with_name("run.json"), lambda s: s["model"].update(colour=1)),
    ),
    "unknown training setting": (
        "speed",
        lambda path: rewrite(path.with_name("run.json"), lambda s: s["training"].update(speed=1)),
    ),
    "value that cannot be": (
        "n_heads is 0",
        lambda path: rewrite(path.with_name("run.json"), lambda s: s["model"].update(n_heads=0)),
    ),
    "text for a number": (
        "run.json",
        lambda path: rewrite(path, lambda s: s["model"].update(n_heads="two")),
    ),
    "missing tokenizer": ("tokenizer.json", lambda path: path.unlink()),
    "broken tokenizer": (
        "tokenizer",
        lambda path: path.with_name("tokenizer.json").write_text("{"),
    ),
    "tokenizer of another size": (
        "291",
        lambda path: rewrite(
            path.with_name("run.json"), lambda s: s["model"].update(vocab_size=291)
        ),
    ),
    "missing words": ("words.txt", lambda path: path.unlink()),
    "no checkpoint": ("checkpoint", lambda path: shutil.rmtree(path.with_name("checkpoints"))),
    "other sizes": (
        "step-00000030.safetensors",
        lambda path: rewrite(path.with_name("run.json"), lambda s: s["model"].update(d_ff=64)),
    ),
    "truncated weights": (
        "step-00000030.safetensors",
        lambda path: (path.parent / "checkpoints" / path.name).write_bytes(b"\x10\x00"),
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_named_with_the_folder(folder, damage):
    named, do_damage = DAMAGES[damage]
    do_damage(folder / named)
    with pytest.raises(RunError) as refused:
        load_run(folder)
    assert str(folder) in str(refused.value)
    assert named in str(refused.value)


WIDE = {"d_model": 2**23, "d_ff": 2**23, "max_positions": 1}
"""Of 1 PB of weights, of which each matrix is one that could be."""


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ({"n_encoder_layers": 100_000}, "100,001 layers"),
        ({"vocab_size": 2**63}, "vocab_size is 9223372036854775808"),
        ({"d_ff": 10**400}, "d_ff is 1000"),
        ({"norm_eps": float("inf")}, "norm_eps is inf"),
    ],
)
def test_sizes_that_no_model_can_have_are_refused_by_all_that_read_them(folder, sizes, said):
    rewrite(folder / "run.json", lambda s: s["model"].update(sizes))
    for read in (load_run, read_record, lambda path: load_run(path, 0)):
        with pytest.raises(RunError, match=said):
            read(folder)


def test_a_model_is_compared_with_its_weights_before_memory_is_asked_for(folder):
    rewrite(folder / "run.json", lambda s: s["model"].update(WIDE))
    for step in (None, 0):
        with pytest.raises(RunError, match="holds other weights than run.json describes"):
            load_run(folder, step)
    shutil.rmtree(folder / "checkpoints")
    with pytest.raises(RunError, match="too large to be made from nothing"):
        load_run(folder, 0)


def test_loading_leaves_the_folder_and_the_random_state_alone(folder):
    def content():
        return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    before, state = content(), torch.get_rng_state()
    load_run(folder)
    assert content() == before
    assert torch.equal(torch.get_rng_state(), state)
