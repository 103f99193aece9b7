"""1,000 times one file of a run is damaged: damaged weights are refused by name, no reader hangs.

    pytest -m slow -s tests/core/runs/test_mutations.py

prints the outcome of the mutations of each kind of file. "Harmless": the same predictions of all
weights that are kept, the same figures, words, notice, pairs and state. "Another": a text that has
the form of a good one is read as it is, and a file that is gone may not be missed. "Wrong" is the
rest: other weights without a word, an error that is no sentence, a hang, or gigabytes of memory.
"""

import hashlib
import random
import resource
import shutil
import signal
from collections import Counter
from dataclasses import replace
from functools import partial

import pytest
import torch

from core.evaluate.evaluation import evaluate
from core.runs.checkpoint import CheckpointError, load_state, newest_checkpoint, step_of, stops
from core.runs.metrics import figures, read_record, read_rows
from core.runs.own_text import give_text, text_of
from core.runs.run import RunError, load_run, read_settings
from core.studies.effects.measuring import measured_effects, stored_effects
from core.studies.effects.pruning import greedy_pruning, pruning_curve, store_pruning
from core.studies.heads.findings import task_of
from core.studies.opening.opening import open_model
from core.tasks import Sample
from core.tasks.corpus import Corpus
from core.training import prepare, trainer
from core.training.loop import make_optimizer
from core.training.presets import Preset
from core.training.process import situation
from tests.core.damages import DAMAGES, remove, rename
from tests.core.families.folders import write_folder

MUTATIONS = 1000
SENTENCES = (RunError, CheckpointError)
NAMES = ("mine", "opened", "other")
PAIRS = [Sample(f"cat {n}" + " and" * (n % 5), f"chat {n}") for n in range(120)]
N_MEASURED = 4
SECONDS = 20
"""After so many a reader hangs."""
MOST_MEMORY = 600 << 20
"""Bytes by which the process may grow in all."""


def trained(path, miniature):
    """Make a run that holds all that one can hold."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "EVALUATION_SAMPLES", 4)
        patch.setattr(trainer, "evaluate", partial(evaluate, n=4))
        corpus = Corpus("mine", PAIRS[:100], valid=PAIRS[100:110], test=PAIRS[110:])
        config = replace(
            miniature.training, steps=20, evaluate_every=10, checkpoint_every=10, patience=9
        )
        model = replace(miniature.model, n_encoder_layers=1)
        preset = Preset(model, replace(config, keep_checkpoints=2), miniature.vocab_size)
        before = path.with_name("before")
        prepare.prepare_run(before, corpus, "miniature", preset, "python -m core train …")
        for _ in trainer.complete_run(before):
            pass
        prepare.prepare_run(
            path, corpus, "miniature", preset, "python -m core train …", start=before
        )
        for _ in trainer.complete_run(path):
            pass
    run = load_run(path)
    for _ in measured_effects(run, N_MEASURED):
        pass
    store_pruning(run, tuple(filter(None, greedy_pruning(run, N_MEASURED))))
    (path / "NOTICE").write_text("Of nobody.\n")
    shutil.rmtree(before)


def opened(path):
    """Make a run of a model of one stack from elsewhere, with lines to measure on."""
    write_folder(path.with_name("model"), "gpt2")
    for _ in open_model(str(path.with_name("model")), path):
        pass
    give_text(path, b"The cat sleeps.\nThe dog sleeps.\n", "lines")


@pytest.fixture(scope="module")
def runs(tmp_path_factory, miniature):
    folder = tmp_path_factory.mktemp("runs")
    trained(folder / "mine", miniature)
    opened(folder / "opened")
    shutil.copytree(folder / "mine", folder / "other")
    return folder


class Loaded(dict):
    """A run with the weights of each step, loaded when it is asked for."""

    def __init__(self, path):
        self.path = path

    def __missing__(self, step):
        self[step] = load_run(self.path, step)
        return self[step]


def predictions(run):
    target = torch.tensor([[1, 5, 7, 6]])
    with torch.no_grad():
        source = None if run.settings.model.is_decoder_only else torch.tensor([[4, 5, 6, 2]])
        return run.model(source, target).numpy().tobytes()


def told_of(path, steps):
    """Yield what can be asked of a run: a name, and a function that answers."""
    yield "settings", lambda: read_settings(path)
    yield "figures", lambda: figures(read_record(path))
    yield "rows", lambda: read_rows(path)
    yield "state", lambda: situation(path)
    yield "text", lambda: text_of(path)
    yield "steps", lambda: stops(path)
    yield "optimizer", lambda: optimizer(path)
    runs = Loaded(path)
    for step in (None, *steps):
        yield f"predictions {step}", lambda step=step: predictions(runs[step])
    yield "known", lambda: known(runs[None])
    yield "effects", lambda: stored_effects(runs[None])
    yield "pruning", lambda: pruning_curve(runs[None], N_MEASURED).points
    yield "pairs", lambda: pairs(runs[None])
    yield "damage", lambda: told_damage(runs[None])


def known(run):
    of_tokenizers = [each.encode("the cat, été").ids for each in (run.tokenizer,)]
    return run.known_words, run.notice, run.evaluation, of_tokenizers, run.step


def pairs(run):
    task = task_of(run)
    return task and (getattr(task, "samples", None), task.part("valid"), task.part("test"))


def told_damage(run):
    if run.damage:
        raise RunError(run.damage)


def optimizer(path):
    settings = read_settings(path)
    if settings.is_opened:
        return None
    found = make_optimizer(load_run(path).model, settings.training)
    load_state(found, newest_checkpoint(path).with_suffix(".state.safetensors"))
    state = sorted(found.state_dict()["state"].items())
    return [(n, name, of[name].numpy().tobytes()) for n, of in state for name in sorted(of)]


def answers(path, steps):
    """Return what a run answers, a refusal in the place of what cannot be said."""
    found = {}
    for name, ask in told_of(path, steps):
        signal.alarm(SECONDS)
        try:
            found[name] = ask()
        except Exception as error:
            # Without its traceback, which holds what was read.
            found[name] = error.with_traceback(None)
        finally:
            signal.alarm(0)
    return found


def files_of(path):
    found = (each for each in path.rglob("*") if each.is_file())
    return sorted(each for each in found if each.name not in ("kept.by.somebody", ".lock"))


def kind_of(file, path):
    name = str(file.relative_to(path))
    of_weights = "/".join((file.parent.name, "state" if ".state." in name else "weights"))
    label = of_weights if name.endswith(".safetensors") else name
    return f"{path.name}/{label}"


def judged(found, before, touched, damage):
    """Return the outcome of a mutation, and why it is wrong if it is."""
    errors = {name: each for name, each in found.items() if isinstance(each, Exception)}
    told = " ".join(map(str, errors.values())) + getattr(found["state"], "message", "")
    named = any(file.name in told for file in touched)
    others = [name for name in found if name not in errors and found[name] != before[name]]
    if strange := [each for each in errors.values() if not isinstance(each, SENTENCES)]:
        return "wrong", f"no sentence: {strange[0]!r}"
    if damage in (remove, rename):
        return ("refused" if errors else "another" if others else "harmless"), ""
    if errors and not named:
        return "wrong", f"{told}, but not a word of {touched[0].name}"
    if others and not named and touched[0].suffix == ".safetensors":
        return "wrong", f"not a word, but another {others}"
    return ("refused" if named else "another" if others else "harmless"), ""


def sums(path):
    return {file: hashlib.sha256(file.read_bytes()).digest() for file in files_of(path)}


@pytest.mark.slow
def test_of_1000_mutations_none_hangs_or_changes_weights_without_a_word(runs, tmp_path):
    signal.signal(signal.SIGALRM, hang)
    rng = random.Random(18)
    before = {name: answers(runs / name, stops(runs / name)) for name in NAMES}
    assert not any(isinstance(each, Exception) for of in before.values() for each in of.values())
    neighbour = sums(runs / "other")
    kinds = {}
    for path in (runs / "mine", runs / "opened"):
        for file in files_of(path):
            kinds.setdefault(kind_of(file, path), []).append((path, file))
    tally, wrong, memory = Counter(), [], peak()
    for number in range(MUTATIONS):
        kind = list(kinds)[number % len(kinds)]
        path, file = rng.choice(kinds[kind])
        damage = DAMAGES[number // len(kinds) % len(DAMAGES)]
        shutil.copytree(path, tmp_path / "kept")
        touched = damage(rng, file, [each for each in files_of(path) if each != file])
        found = answers(path, {step_of(each) for each in touched if "step-" in each.name} - {77})
        verdict, why = judged(found, before[path.name], touched, damage)
        tally[kind, verdict] += 1
        if why:
            wrong.append(f"{number}: {damage.__name__} of {kind}: {why}")
        shutil.rmtree(path)
        (tmp_path / "kept").rename(path)
        if number % 50 == 0:
            assert answers(runs / "other", stops(runs / "other")) == before["other"]
    print(f"\n{'':36}refused  harmless  another  wrong")
    for kind in kinds:
        of_kind = [tally[kind, verdict] for verdict in ("refused", "harmless", "another", "wrong")]
        print(f"{kind:36}{of_kind[0]:7}{of_kind[1]:10}{of_kind[2]:9}{of_kind[3]:7}")
    print(f"memory grew by {(peak() - memory) >> 20} MiB")
    assert not wrong, "\n".join(wrong)
    assert sums(runs / "other") == neighbour
    assert peak() - memory < MOST_MEMORY


def hang(_signal, _frame):
    raise TimeoutError("it hangs")


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
