import pytest

from core.evaluate.intervals import Difference
from core.runs.run import load_run
from core.studies.effects.head_effects import HeadEffect, HeadEffects
from core.studies.effects.measuring import store_effects
from core.studies.heads.question import heads_of
from core.studies.heads.roles import roles_of_heads
from pages.views.heads import role_names
from tests.pages.conftest import ROOT

COPY = ROOT / "gallery" / "copy"


def table(at):
    [found] = at.dataframe
    return found.value


@pytest.fixture(scope="module")
def copy_scores():
    return roles_of_heads(load_run(COPY)).heads


def open_scores(open_page, **query_params):
    return open_page("heads", trial="roles", **{"model": "copy", **query_params})


def ordered(heads):
    """Return heads by how far their best role is above its baseline; equal ones stay."""
    return sorted(heads, key=lambda head: -max(above(head).values(), default=0))


def above(head):
    return {
        role: score.value - score.baseline
        for role, score in head.scores.items()
        if score.beats_baseline
    }


def test_at_first_each_head_has_the_role_that_differs_most_from_its_rule(open_page, copy_scores):
    rows = table(open_scores(open_page))
    for (_, row), head in zip(rows.iterrows(), ordered(copy_scores), strict=True):
        assert (row["layer"], row["head"]) == (head.head.layer, head.head.index)
        differences = above(head)
        if not differences:
            assert row["role"] == "none"
            continue
        role = max(differences, key=differences.get)
        assert row["role"] == role_names.named(role, head)
        score = head.scores[role]
        assert (row["share"], row["rule"]) == (100 * score.value, 100 * score.baseline)
    assert not {"bits", "previous token", "leading role"} & set(rows)


def store(path, sure):
    """Store effects in which head 1 of each site loses 10 of 100 sentences, if that is sure."""
    run = load_run(path)
    nothing = Difference(0.9, 0.9, -0.02, 0.02, 100)
    less = Difference(0.9, 0.8, -0.15, -0.05 if sure else 0.01, 100)
    effects = tuple(
        HeadEffect(head, less if head.index == 1 else nothing, nothing, None)
        for head in heads_of(run.model)
    )
    store_effects(run, HeadEffects(effects, 100, 3, run.step))


def test_every_head_has_its_scores_with_their_baselines(open_page, copy_scores):
    rows = table(open_scores(open_page, all_roles="true"))
    assert len(rows) == len(copy_scores)
    for (_, row), head in zip(rows.iterrows(), ordered(copy_scores), strict=True):
        assert (row["layer"], row["head"]) == (head.head.layer, head.head.index)
        assert (row["bits"], row["distance"], row["largest"], row["rows"]) == (
            head.entropy.value,
            head.distance.value,
            head.confidence.value,
            head.n_rows,
        )
        for role, score in head.scores.items():
            shown = row[role_names.NAMES[role]]
            assert shown.startswith(f"{score.value:.2f} ({score.baseline:.2f})")
            assert shown.endswith(" n.s.") is not score.beats_baseline


def test_heads_of_one_kind_have_only_the_roles_that_they_can_have(open_page):
    at = open_scores(open_page, scores_of="decoder self", all_roles="true")
    assert set(table(at)["attention"]) == {"decoder self"}
    assert "previous token" in table(at)
    assert not {"next token", "antecedent of a pronoun", "source of the word fed"} & set(table(at))


def test_what_silencing_costs_is_shown_where_it_was_measured(open_page, own_copy):
    store(own_copy, sure=True)
    rows = table(open_scores(open_page, model="runs/mine"))
    assert rows["sentences"].tolist() == pytest.approx([-10.0 * (h == 1) for h in rows["head"]])
    assert "pronouns" not in rows


@pytest.mark.usefixtures("unmeasured_gallery")
def test_where_nothing_was_measured_no_column_says_so(open_page):
    assert not {"sentences", "pronouns"} & set(table(open_scores(open_page)))
