from dataclasses import replace

import pytest

from core.heads import Head, Site
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.heads.findings import (
    best_pronoun_head,
    pronoun_step,
    pronoun_tokens,
    pronouns_among,
)
from core.tasks import TASKS
from tests.core.conftest import GALLERY


def head(site, number, score, silenced):
    return {
        "site": site,
        "head": number,
        "score": score,
        "weight": score / 2,
        "baseline": 0.5,
        "silenced_accuracy": silenced,
    }


EVALUATION = {
    "seed": 7,
    "pronoun": {
        "accuracy": 0.9,
        "n": 40,
        "baselines": {"nearest_noun": 0.25, "first_noun": 0.5, "random_noun": 0.375},
    },
    "heads": [
        head("encoder.0.self", 0, 0.25, 0.5),
        head("encoder.1.self", 1, 0.75, 0.875),
        head("encoder.1.self", 2, 0.75, 0.625),
        head("decoder.0.cross", 3, 0.4375, 0.9375),
    ],
}


@pytest.fixture
def evaluated(copy_run):
    def with_evaluation(evaluation, **changes):
        if evaluation is not None:
            evaluation = {**evaluation, **changes}
        return replace(copy_run, evaluation=evaluation)

    return with_evaluation


def test_head_with_the_highest_score_is_found_with_its_figures(evaluated):
    best = best_pronoun_head(evaluated(EVALUATION))
    assert best.head == Head(Site("encoder", 1, "self"), 2)
    assert (best.score, best.accuracy, best.silenced_accuracy) == (0.75, 0.9, 0.625)
    assert (best.baseline, best.baseline_name) == (0.5, "first noun")
    assert (best.n, best.seed) == (40, 7)


def test_a_run_without_figures_has_no_such_head(evaluated):
    assert best_pronoun_head(evaluated(None)) is None
    assert best_pronoun_head(evaluated(EVALUATION, pronoun=None, heads=[])) is None
    assert best_pronoun_head(evaluated(EVALUATION, heads=[])) is None


def test_pronouns_are_found_in_any_case_and_each_once():
    words = ["It", "was", "they", "it", "animal", "IT", "he"]
    assert pronouns_among(TASKS["translate"], words) == ["it", "they"]
    assert pronouns_among(TASKS["copy"], words) == pronouns_among(None, words) == []


TIRED = "The animal didn't cross the street because it was too tired."


def test_the_step_that_writes_the_pronoun_is_known_where_the_grammar_makes_the_sentence():
    run = load_run(GALLERY / "translate-guided")
    task = TASKS["translate"]
    ids = run.tokenizer.encode(task.reference(TIRED)).ids
    step = pronoun_step(task, run.tokenizer, TIRED, ids)
    assert run.tokenizer.describe([ids[step]])[0].text == "il"
    assert pronoun_step(task, run.tokenizer, TIRED, ids[:5]) == step
    other = (*ids[:3], ids[3] + 1, *ids[4:])
    assert pronoun_step(task, run.tokenizer, TIRED, other) is None
    assert pronoun_step(task, run.tokenizer, "The animal slept.", ids) is None
    assert pronoun_step(TASKS["copy"], run.tokenizer, TIRED, ids) is None
    assert pronoun_step(None, run.tokenizer, TIRED, ids) is None


def test_tokens_of_pronouns_are_found_by_their_words():
    run = load_run(GALLERY / "translate-guided")
    inspection = inspect_sentence(run, TIRED)
    [at] = pronoun_tokens(TASKS["translate"], inspection)
    assert inspection.source_tokens[at].text == "it"
    assert pronoun_tokens(TASKS["copy"], inspection) == ()
    assert pronoun_tokens(None, inspection) == ()
