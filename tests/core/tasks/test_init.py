import re

import pytest

from core.tasks import TASKS, CorpusError, task_named


@pytest.mark.parametrize("name", ["copy", "reverse", "translate"])
def test_a_task_of_the_list_is_found_by_its_name(name):
    assert task_named(name) is TASKS[name]
    assert TASKS[name].name == name


def test_a_file_of_pairs_is_a_task(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"word {n}\tmot {n}\n" for n in range(60)), encoding="utf-8")
    task = task_named(str(path))
    assert task.name == str(path)
    assert task.pronouns == frozenset()


def test_a_name_that_is_neither_task_nor_file_is_refused_with_the_tasks(tmp_path):
    missing = str(tmp_path / "none.tsv")
    for name in ("paste", missing, str(tmp_path), ""):
        with pytest.raises(CorpusError, match=re.escape(repr(name))) as refused:
            task_named(name)
        assert "copy, reverse, translate" in str(refused.value)
