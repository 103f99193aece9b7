import pytest

from core.config import ConfigError
from core.runs.run import read_settings
from core.tasks.corpus import Corpus
from core.tasks.task import Sample


@pytest.mark.parametrize(
    ("task", "guide", "message"),
    [
        ("copy", "encoder.0.self:0", "no pronouns"),
        ("translate", "decoder.0.self:0", "never sees the source"),
        ("translate", "encoder.9.self:0", "no head of this model"),
        ("translate", "encoder.0.self:2", "no head of this model"),
        ("translate", "decoder.1.cross:0", "no head of this model"),
        ("translate", "bla", "not a head such as"),
        ("translate", "encoder.0.cross:0", "not a head such as"),
    ],
)
def test_a_head_that_cannot_be_guided_is_refused_before_anything_is_written(
    prepare, tmp_path, task, guide, message
):
    with pytest.raises(ConfigError, match=message):
        prepare(tmp_path / "run", task, guide=guide)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("task", "guide", "message"),
    [
        ("copy", "encoder.0.self:0", "does not look from the target to the source"),
        ("translate", "decoder.0.self:0", "does not look from the target to the source"),
        ("reverse", "decoder.0.cross:2", "no head of this model"),
        (
            Corpus("mine", [Sample(f"cat {n}", f"chat {n}") for n in range(90)]),
            None,
            "no alignment",
        ),
    ],
)
def test_a_head_that_cannot_follow_an_alignment_is_refused(prepare, tmp_path, task, guide, message):
    guide = guide or "decoder.0.cross:0"
    with pytest.raises(ConfigError, match=message):
        prepare(tmp_path / "run", task, guide=guide, guide_to="alignment")
    assert not (tmp_path / "run").exists()


def test_a_task_without_pronouns_knows_its_alignment(prepare, tmp_path):
    path = prepare(tmp_path / "run", "copy", guide="decoder.0.cross:1", guide_to="alignment")
    training = read_settings(path).training
    assert (training.guide, training.guide_to) == ("decoder.0.cross:1", "alignment")
