import json

import pytest

from core.studies.heads.text_roles import QUESTIONS


@pytest.mark.parametrize(("name", "half"), [("bert", 30), ("gpt2", 31)])
def test_roles_are_told_of_an_opened_model(command, opened_path, name, half):
    status, out, error = command("heads", opened_path(name))
    assert status == 0, error
    lines = out.splitlines()
    assert f"20 sequences of {half} random tokens, said twice" in lines[0]
    for role in QUESTIONS:
        assert sum(line.startswith(role) for line in lines) == 5


def test_all_of_it_as_json(command, opened_path):
    found = json.loads(command("heads", opened_path("gpt2"), "--json")[1])
    assert set(found["roles"]) == set(QUESTIONS)
    assert len(found["roles"]["induction"]) == 8
