import json

import pytest

from core.studies.heads.text_roles import QUESTIONS


@pytest.mark.parametrize(("name", "half", "costs"), [("bert", 30, 0), ("gpt2", 31, 2)])
def test_roles_and_costs_are_told_of_an_opened_model(command, opened_path, name, half, costs):
    status, out, error = command("heads", opened_path(name))
    assert status == 0, error
    first, *lines = out.splitlines()
    assert f"20 sequences of {half} random tokens, said twice" in first
    assert {role for role in QUESTIONS if any(line.startswith(role) for line in lines)} == {
        *QUESTIONS
    }
    assert sum(line.startswith("silenced_induction") for line in lines) == costs


def test_all_of_it_as_json(command, opened_path):
    found = json.loads(command("heads", opened_path("gpt2"), "--json")[1])
    assert set(found["roles"]) == set(QUESTIONS)
    assert len(found["roles"]["induction"]) == 8
    assert set(found["silenced_induction_heads"]) == {"1", "3"}
    for cost in found["silenced_induction_heads"].values():
        assert len(cost["heads"]) == len(cost["others"])
        assert not set(cost["heads"]) & set(cost["others"])
        assert cost["second_half"]["n"] == 20
    assert found["antecedent"] is None
