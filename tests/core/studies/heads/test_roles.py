"""Roles of heads that were made by hand, and of heads that were trained."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.batch import Pair
from core.evaluate.intervals import wilson
from core.evaluate.pronouns import study_pronouns
from core.heads import Head
from core.runs.run import load_run
from core.studies.heads.findings import evaluated_heads
from core.studies.heads.roles import Score, role_scores, role_steps, study_roles
from core.studies.heads.roles_questions import Role
from core.studies.heads.roles_sentences import held_out_sentences, known_sentences
from tests.core.studies.heads.heads_by_hand import (
    CAUSAL,
    CROSS,
    DOT,
    SELF,
    VOCABULARY,
    antecedent,
    pointing,
    scores_of,
    sentences,
    values,
)

GALLERY = Path(__file__).parents[4] / "gallery"

# ---- heads that were made by hand


def test_every_head_of_the_encoder_is_found():
    known = sentences()
    counts = np.bincount([token for pair in known.pairs for token in pair.source])
    roles = {
        Role.PREVIOUS: lambda pair, row: row - 1,
        Role.NEXT: lambda pair, row: row + 1,
        Role.SAME: lambda pair, row: row,
        Role.POSITIONAL: lambda pair, row: row - 2,
        Role.DELIMITER: lambda pair, row: len(pair.source) - 1 - row % 2,
        Role.RARE: lambda pair, row: int(np.argmin(counts[list(pair.source)])),
        Role.ANTECEDENT: lambda pair, row: antecedent(pair) if row == 3 else None,
    }
    found = scores_of(known, {SELF: [pointing(SELF, key_of) for key_of in roles.values()]})
    n_rows = sum(len(pair.source) for pair in known.pairs)
    for role, head in zip(roles, found, strict=True):
        assert head.scores[role].value == 1
        assert head.scores[role].value > head.scores[role].baseline
        others = [other for other in found if other is not head]
        assert all(other.scores[role].value < 1 for other in others if role != Role.POSITIONAL)
        assert (head.n_rows, head.n_sentences) == (n_rows, 6)
    assert [head.offset for head in found[:4]] == [-1, 1, 0, -2]
    assert [head.positional for head in found] == [True] * 4 + [False] * 3
    # An offset of −1 is both; the narrower name leads.
    assert [head.leading for head in found] == list(roles)


def test_every_head_between_the_sides_is_found():
    known = sentences(1)

    def aligned(row_of_first):
        def key_of(pair, row):
            return dict(known.links[pair]).get(row - row_of_first)

        return pointing(CROSS, key_of)

    writes = pointing(CROSS, lambda pair, row: antecedent(pair) if row == 2 else None)
    ends = pointing(CROSS, lambda pair, row: len(pair.source) - 1)
    predicted, fed, writer, last = scores_of(known, {CROSS: [aligned(0), aligned(1), writes, ends]})
    assert values(predicted)[Role.ALIGNED_PREDICTED] == values(fed)[Role.ALIGNED_FED] == 1
    assert values(predicted)[Role.ALIGNED_FED] < 0.5 > values(fed)[Role.ALIGNED_PREDICTED]
    assert predicted.scores[Role.ALIGNED_PREDICTED].n == sum(map(len, known.links.values()))
    assert values(writer)[Role.ANTECEDENT] == 1
    assert values(last)[Role.DELIMITER] == 1
    assert not {Role.PREVIOUS, Role.NEXT} & set(predicted.scores)


def test_the_first_row_of_the_decoder_has_no_choice_and_nobody_sees_what_is_next():
    known = sentences(2)
    [before, first] = scores_of(
        known,
        {
            CAUSAL: [
                pointing(CAUSAL, lambda pair, row: row - 1),
                pointing(CAUSAL, lambda pair, row: 0),
            ]
        },
    )
    n = sum(len(pair.target) - 2 for pair in known.pairs)
    assert before.n_rows == before.scores[Role.PREVIOUS].n == n
    assert values(before)[Role.PREVIOUS] == values(first)[Role.DELIMITER] == 1
    assert Role.NEXT not in before.scores
    assert Role.ANTECEDENT not in before.scores


@pytest.mark.parametrize("site", [SELF, CAUSAL, CROSS])
def test_a_uniform_head_has_what_any_key_has(site):
    [uniform] = scores_of(sentences(3), {site: [pointing(site, lambda pair, row: None)]})
    for score in uniform.scores.values():
        if score.rule == "any key":
            assert score.value == pytest.approx(score.baseline)
        assert not score.beats_baseline
    assert uniform.leading is None
    for measure in (uniform.entropy, uniform.distance, uniform.confidence, uniform.evenness):
        assert measure.value == pytest.approx(measure.uniform, rel=1e-6)
    assert uniform.evenness.value == pytest.approx(1)


def test_an_alignment_that_runs_along_the_diagonal_is_no_better_than_an_offset():
    pair = Pair((5, 6, 7, 8, DOT, 2), (1, 9, 10, 11, 12, DOT, 2))
    known = known_sentences([pair], {pair: tuple((i, i) for i in range(4))}, VOCABULARY)
    [head] = scores_of(known, {CROSS: [pointing(CROSS, lambda pair, row: row)]})
    found = head.scores[Role.ALIGNED_PREDICTED]
    assert found == Score(1.0, 1.0, "offset", 4, 0)
    assert head.scores[Role.ALIGNED_FED] == Score(0.0, 1.0, "offset", 4, -1)
    assert not found.beats_baseline


@pytest.mark.parametrize(
    ("value", "baseline", "n", "beats"),
    [
        (1.0, 0.5, 1, False),
        (1.0, 0.5, 4, True),
        (1.0, 0.52, 4, False),
        (0.6, 0.5, 100, True),
        (0.6, 0.505, 100, False),
        (0.0, 0.0, 50, False),
    ],
)
def test_a_baseline_is_beaten_where_wilsons_interval_leaves_it_below(value, baseline, n, beats):
    # Wilson's lower bound: 4 of 4 → 4 / (4 + 1.96²) = 0.5101; 60 of 100 → 0.5020.
    assert Score(value, baseline, "any key", n).beats_baseline is beats


def test_without_links_or_pronouns_nothing_is_asked_about_them():
    known = sentences(4)
    bare = [replace(pair, references=()) for pair in known.pairs]
    [head] = scores_of(
        known_sentences(bare, {}, VOCABULARY), {CROSS: [pointing(CROSS, lambda pair, row: 0)]}
    )
    # Both sides have full stops, and so a token that is the same.
    assert set(head.scores) == {Role.SAME, Role.POSITIONAL, Role.DELIMITER, Role.RARE}


# ---- heads that were trained


def test_scores_are_those_of_the_pronouns_study(translation_run):
    known = held_out_sentences(translation_run, 40, seed=1)
    study = study_pronouns(translation_run.model, known.pairs)
    *_, last = study_roles(translation_run.model, known)
    found = {head.head: head.scores for head in last.heads}
    for head in study.heads:
        score = found[head.head][Role.ANTECEDENT]
        assert score.value == pytest.approx(head.score)
        assert (score.n, score.baseline) == (study.n, study.baselines.best)


def test_the_guided_head_of_the_gallery_finds_antecedents_and_needs_no_luck():
    run = load_run(GALLERY / "translate-guided")
    heads = {(str(head.head.site), head.head.index): head for head in role_scores(run, n=100)}
    stored = next(head for head in run.evaluation["heads"] if head["head"] == "encoder.2.self:0")
    guided = heads["encoder.2.self", 0]
    assert guided.scores[Role.ANTECEDENT].value == pytest.approx(stored["score"], abs=0.05)
    assert guided.scores[Role.ANTECEDENT].beats_baseline
    assert guided.leading is Role.ANTECEDENT
    others = [
        head for head in heads.values() if head is not guided and head.head.site.stack == "encoder"
    ]
    assert max(head.scores[Role.ANTECEDENT].value for head in others) < 0.5
    best = max(heads.values(), key=lambda head: values(head).get(Role.ALIGNED_PREDICTED, 0))
    assert best.scores[Role.ALIGNED_PREDICTED].beats_baseline


def test_copying_is_done_by_heads_at_the_same_place():
    heads = role_scores(load_run(GALLERY / "copy"), n=60)
    first = [head for head in heads if head.head.site == CROSS]
    assert all(head.positional and head.offset == 0 for head in first)
    for head in first:
        assert head.scores[Role.ALIGNED_PREDICTED].value > 0.95
        assert head.scores[Role.ALIGNED_FED].value < 0.1


def test_scores_grow_with_the_sentences_and_are_the_same_again(copy_run):
    *_, last = progress = list(role_steps(copy_run, n=130, seed=3))
    assert [(each.done, each.n) for each in progress] == [(128, 130), (130, 130)]
    assert last.heads == role_scores(copy_run, n=130, seed=3)
    assert [head.n_sentences for head in last.heads] == [130] * len(last.heads)
    expected = [head for site in copy_run.model.sites() for head in site.heads(2)]
    assert [head.head for head in last.heads] == expected


def test_the_farthest_role_differs_most_from_its_baseline_of_those_that_beat_it(copy_run):
    for head in role_scores(copy_run, 20):
        differences = {
            role: score.value - score.baseline
            for role, score in head.scores.items()
            if wilson(round(score.value * score.n), score.n)[0] > score.baseline
        }
        assert head.above_baseline == max(differences.values(), default=0.0)
        assert head.farthest == max(differences, key=differences.get, default=None)


def test_antecedents_are_counted_once_wherever_a_head_is_spoken_of():
    run = load_run(GALLERY / "heads-one")
    entries = {str(Head.read(each)): each for each in run.evaluation["heads"]}
    found = {
        str(each.head): each.scores[Role.ANTECEDENT]
        for each in role_scores(run, 30)
        if Role.ANTECEDENT in each.scores
    }
    assert set(found) == set(entries)
    for head, score in found.items():
        assert (score.value, score.n) == (entries[head]["score"], 777)
        assert (score.baseline, score.rule) == (entries[head]["baseline"], "nearest noun")
    # Of other sentences the evaluation knows nothing.
    for n, seed in ((30, 1), (2001, 0)):
        assert not evaluated_heads(run, n, seed)
    [other] = {
        each.scores[Role.ANTECEDENT].n
        for each in role_scores(run, 30, seed=1)
        if Role.ANTECEDENT in each.scores
    }
    assert other < 30
