"""The time of a training's steps, said before it begins."""

from dataclasses import replace

import pytest

from core.tasks import TASKS, Sample
from core.tasks.corpus import Corpus
from core.training import timing
from core.training.loop import TrainStep
from core.training.prepare import train_tokenizer, write_run
from core.training.presets import PRESETS, with_settings

PRESET = with_settings(PRESETS["tiny"], {"d_model": 16, "n_heads": 2, "d_ff": 16, "batch_size": 8})
OWN = Corpus("mine", [Sample(f"the {n} cats", f"les {n} chats") for n in range(60)])


@pytest.fixture
def folder(tmp_path):
    """Return a function that writes what a training of a task reads into a folder."""

    def write(task, preset):
        tokenizer = train_tokenizer(task, 290, 0, preset.model)
        sized = replace(preset, model=preset.sized(tokenizer.vocab_size))
        write_run(tmp_path, task, tokenizer, sized)
        return tmp_path

    return write


def test_few_steps_tell_the_time_of_all(monkeypatch, folder):
    sizes = []

    def steps_by_size(_model, _optimizer, batches, _config, _first_step, reward):
        for number, batch in enumerate(batches):
            sizes.append(batch.source_BS.numel() + batch.fed_BT.numel())
            # The first sets up what later ones find.
            seconds = sizes[-1] * (1e-3 if number else 1.0)
            yield TrainStep(number, 1.0, None, 1e-3, batch.n_tokens, seconds)

    monkeypatch.setattr(timing, "train", steps_by_size)
    monkeypatch.setattr(timing, "SECONDS", 1e9)
    run = folder(TASKS["copy"], PRESET)
    said = timing.seconds_a_step(run)
    mean = sum(sizes[1:]) / len(sizes[1:])
    assert len(sizes) == 17 and said == pytest.approx(mean * 1e-3, rel=0.2)
    # Where time is short, as where it is not.
    most = sizes[0] + sum(sizes[1:4]) * 1e-3
    sizes.clear()
    monkeypatch.setattr(timing, "SECONDS", most)
    assert timing.seconds_a_step(run) == pytest.approx(said, rel=0.2)
    assert len(sizes) in (4, 5)


@pytest.mark.slow
@pytest.mark.parametrize("like", ["", "gpt2", "bert"])
def test_a_process_times_own_pairs_on_every_kind_of_model(folder, like):
    preset = with_settings(PRESET, {"like": like, "steps": 5} if like else {"steps": 1})
    with timing.start_timing(folder(OWN, preset)) as process:
        assert float(process.communicate()[0]) > 0
