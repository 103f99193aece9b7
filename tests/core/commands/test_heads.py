import json
import shutil

import pytest

from core.runs.files import HEADS
from core.runs.run import load_run
from core.studies.effects.head_effects import head_effects
from core.studies.effects.measuring import effect_json, stored_effects
from core.studies.effects.pruning import greedy_pruning, pruning_curve
from core.studies.heads.roles import roles_of_heads
from core.studies.heads.text_roles import QUESTIONS


@pytest.fixture
def path(translation_folder, tmp_path):
    return shutil.copytree(translation_folder, tmp_path / "run")


def test_json_holds_the_scores_and_the_effect_of_every_head(command, path):
    status, out, error = command("heads", path, "--n", "8", "--json")
    found = json.loads(out)
    assert (status, error) == (0, "")
    run = load_run(path)
    effects, roles = list(head_effects(run, 8)), roles_of_heads(run, 8).heads
    assert [each["effect"] for each in found["heads"]] == [effect_json(e) for e in effects]
    assert [each["head"] for each in found["heads"]] == [
        str(head) for site in run.model.sites() for head in site.heads(2)
    ]
    assert (found["n"], found["seed"], found["step"]) == (8, 0, 6)
    by_head = {str(role.head): role for role in roles}
    for each in found["heads"]:
        scores = by_head[each["head"]].scores
        assert set(each["scores"]) == set(scores)
        for name, score in scores.items():
            assert each["scores"][name] == {
                "value": score.value,
                "baseline": score.baseline,
                "rule": score.rule,
                "n": score.n,
            }


def test_what_is_stored_is_used_and_stays_unless_it_is_to_be_fresh(command, path):
    command("heads", path, "--n", "8")
    stored = json.loads((path / HEADS).read_text())
    stored["heads"][0]["effect"]["loss"]["after"] = 77.0
    (path / HEADS).write_text(json.dumps(stored))

    def after(*arguments):
        out = command("heads", path, "--json", *arguments)[1]
        return json.loads(out)["heads"][0]["effect"]["loss"]["after"]

    assert after() == after("--n", "8") == 77
    assert after("--n", "5") < 77
    assert after() == 77
    assert after("--n", "5", "--fresh") < 77
    assert stored_effects(load_run(path)).n == 5


def test_the_curves_of_pruning_are_kept_on_request(command, path, monkeypatch):
    monkeypatch.setattr("core.studies.effects.pruning.N_PRUNED", 3)
    command("heads", path, "--n", "6")
    assert pruning_curve(load_run(path), 3).points == ()
    command("heads", path, "--n", "6", "--prune")
    own = load_run(path)
    assert pruning_curve(own, 3).points == tuple(filter(None, greedy_pruning(own, 3)))


def test_roles_on_repeated_tokens_are_found_of_an_opened_model(command, opened_path):
    status, out, error = command("heads", opened_path("gpt2"))
    assert status == 0, error
    first, _, *rows = out.splitlines()
    assert "20 sequences of 31 random tokens, said twice" in first
    assert {row.split()[0] for row in rows} == set(QUESTIONS)
    found = json.loads(command("heads", opened_path("gpt2"), "--json")[1])
    assert len(found["roles"]["induction"]) == 8


def test_heads_are_measured_on_prompts_the_one_that_is_needed_most_first(
    command, refused, path, tmp_path
):
    file = tmp_path / "prompts.tsv"
    file.write_text("The animal crossed.\tL'animal\tLa rue\n")
    status, out, _ = command("heads", path, "--prompts", file, "--json")
    found = json.loads(out)
    assert status == 0
    assert found["change"] == sorted(found["change"])
    assert set(found["head"]) == {
        str(head) for site in load_run(path).model.sites() for head in site.heads(2)
    }
    # There is no interval of one prompt.
    assert set(found["low"]) == {None}
    assert "does not go with --prompts" in refused("heads", path, "--prompts", file, "--n", "3")


def test_a_file_of_prompts_is_read_before_the_model(refused, path, tmp_path, monkeypatch):
    monkeypatch.setattr("core.runs.run.load_run", None)
    file = tmp_path / "prompts.tsv"
    file.write_text("a prompt without continuations\n")
    assert "line 1: a prompt" in refused("heads", path, "--prompts", file)
