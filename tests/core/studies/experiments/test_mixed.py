from pathlib import Path

from core.runs.run import load_run
from core.studies.experiments.mixed import PASSES, mixed_output
from core.tasks import TASKS, right_targets

GALLERY = Path(__file__).parents[4] / "gallery"


def test_the_shipped_model_mixes_both_right_targets_in_one_pass():
    found = mixed_output(load_run(GALLERY / "parallel"))
    assert found.right == right_targets(TASKS["either"], found.source)
    written = dict(found.written)
    assert tuple(written) == PASSES
    one, other = (each.split() for each in found.right)
    words = written[1].split()
    assert words not in (one, other)
    assert all(word in pair for word, *pair in zip(words, one, other, strict=True))


def test_a_model_that_writes_neither_target_mixes_nothing(parallel_run):
    assert mixed_output(parallel_run) is None
