import re

import pytest

from core.tasks import TASKS, CorpusError, task_named


@pytest.mark.parametrize("name", ["copy", "reverse", "translate"])
def test_a_task_of_the_list_is_found_by_its_name(name):
    assert task_named(name) is TASKS[name]
    assert TASKS[name].name == name


def test_the_pairs_in_a_run_are_a_task(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"word {n}\tmot {n}\n" for n in range(60)), encoding="utf-8")
    task = task_named("pairs.tsv", tmp_path)
    assert task.name == str(path)
    assert task.pronouns == frozenset()


def test_a_name_that_is_no_task_is_refused_with_the_tasks(tmp_path):
    for name in ("paste", str(tmp_path), ""):
        with pytest.raises(CorpusError, match=re.escape(repr(name))) as refused:
            task_named(name)
        assert "copy, reverse, either, names, translate" in str(refused.value)


def test_pairs_that_are_gone_are_named(tmp_path):
    with pytest.raises(CorpusError, match=re.escape(str(tmp_path / "pairs.tsv"))):
        task_named("pairs.tsv", tmp_path)
