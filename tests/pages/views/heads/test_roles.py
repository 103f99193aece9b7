from urllib.parse import parse_qs

import pytest

from core.evaluate.intervals import Difference
from core.heads import Head
from core.runs.run import load_run
from core.studies.effects.head_effects import HeadEffect, HeadEffects
from core.studies.effects.measuring import store_effects
from core.studies.heads.question import heads_of
from core.studies.heads.roles import roles_of_heads
from pages.views.heads import head_findings, role_names
from tests.pages.conftest import ROOT, tick_rows
from tests.pages.views.attention.conftest import seen

COPY = ROOT / "gallery" / "copy"


@pytest.fixture(scope="module")
def copy_scores():
    return roles_of_heads(load_run(COPY)).heads


@pytest.fixture
def open_roles(open_page):
    return lambda **query: open_page("heads", trial="roles", **{"model": "copy", **query})


def table(at):
    [found] = at.dataframe
    return found.value


def ordered(heads):
    """Return heads by how far their best role is above its baseline; equal ones stay."""
    return sorted(heads, key=lambda head: -max(above(head).values(), default=0))


def above(head):
    return {
        role: score.value - score.baseline
        for role, score in head.scores.items()
        if score.beats_baseline
    }


def store(path, sure):
    """Store effects in which head 1 of each site loses 10 of 100 sentences, if that is sure."""
    run = load_run(path)
    nothing = Difference(0.9, 0.9, -0.02, 0.02, 100)
    less = Difference(0.9, 0.8, -0.15, -0.05 if sure else 0.01, 100)
    found = tuple(
        HeadEffect(head, less if head.index == 1 else nothing, nothing, None)
        for head in heads_of(run.model)
    )
    store_effects(run, HeadEffects(found, 100, 7, run.step))


@pytest.mark.slow
def test_unmeasured_heads_stand_by_how_far_their_role_is_above_its_rule(
    open_page, own_copy, copy_scores
):
    at = open_page("heads", trial="roles", model="runs/mine", sentence="a b")
    rows = table(at)
    assert not {"exact_match", "pronoun"} & set(rows)
    for (_, row), head in zip(rows.iterrows(), ordered(copy_scores), strict=True):
        differences = above(head)
        if not differences:
            assert row["role"] == "none"
            continue
        role = max(differences, key=differences.get)
        assert row["role"] == role_names.named(role, head)
        score = head.scores[role]
        assert (row["share"], row["baseline"]) == (100 * score.value, 100 * score.baseline)
    assert seen(at) == head_findings.seen(ordered(copy_scores)[0], None).replace("\u00a0", " ")


@pytest.mark.slow
def test_the_head_that_the_model_needs_most_stands_first(open_page, own_copy):
    store(own_copy, sure=True)
    at = open_page("heads", trial="roles", model="runs/mine", sentence="a b")
    rows, n = table(at), len(heads_of(load_run(own_copy).model))
    # Only those without which the accuracy falls, until all are asked for.
    assert rows["exact_match"].tolist() == [10] * len(rows)
    assert all(name.endswith("head 1") for name in rows["head"])
    assert f"**{len(rows)} of {n} heads matter**" in seen(at)
    [every] = at.toggle
    assert len(table(every.set_value(True).run())) == n
    store(own_copy, sure=False)
    at = open_page("heads", trial="roles", model="runs/mine", sentence="a b")
    assert "exact_match" not in table(at)
    assert len(table(at)) == n
    assert seen(at).startswith("**No head matters by itself**")


def test_of_the_first_model_it_is_said_which_head_finds_antecedents_and_what_it_costs(open_roles):
    assert seen(open_roles(model="everyday")) == (
        "**6 of 28 heads matter**: silencing any other one does not measurably lower the accuracy. "
        "Encoder layer 2, head 0 looks from a pronoun at its **antecedent** in **100 %** of 777 "
        "cases (baseline, nearest noun: 51.2 %); when it is silenced, **55.3 %** of the "
        "pronouns are right instead of 100 %."
    )


def test_a_ticked_row_is_kept_in_the_link_and_leads_to_its_map(open_roles):
    at = open_roles(sentence="a b c")
    [found] = at.dataframe
    tick_rows(at, found, 2)
    head = Head.parse(at.query_params["scored"])
    assert table(at)["head"][2] in seen(at)
    [link] = [each for each in at.get("page_link") if each.proto.query_string]
    assert {name: values[0] for name, values in parse_qs(link.proto.query_string).items()} == {
        "model": "copy",
        "sentence": "a b c",
        "kind": str(head.kind),
        "layer": str(head.layer),
        "head": str(head.index),
    }
