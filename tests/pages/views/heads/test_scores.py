import json
from urllib.parse import parse_qs

import pytest

from core.analysis.effects.effects_file import store_effects
from core.analysis.effects.head_effects import HeadEffect, HeadEffects
from core.analysis.effects.silencing import every_head
from core.analysis.heads.roles import Measure, Score, role_scores
from core.analysis.heads.roles_questions import Role
from core.evaluate.intervals import Difference
from core.heads import Kind
from core.runs.run import load_run
from pages.views.heads import role_names, scores
from tests.pages.conftest import ROOT, said, tick_rows, unfold

COPY = ROOT / "gallery" / "copy"


N = 40
"""Held-out sentences: few, so that scoring is quick."""


@pytest.fixture(autouse=True)
def _few_sentences():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scores, "N_SENTENCES", N)
        yield


def table(at):
    [found] = at.dataframe
    return found.value


@pytest.fixture(scope="module")
def copy_scores():
    return role_scores(load_run(COPY), N)


def open_scores(open_page, **query_params):
    return open_page("heads", trial="scores", **{"model": "copy", **query_params})


def tick(at, row):
    [found] = at.dataframe
    tick_rows(at, found, row)


def link_of(at):
    [found] = at.get("page_link")
    return {name: values[0] for name, values in parse_qs(found.proto.query_string).items()}


def store(path, sure):
    """Store effects in which head 1 of each site loses 10 of 100 sentences, if that is sure."""
    run = load_run(path)
    nothing = Difference(0.9, 0.9, -0.02, 0.02, 100)
    less = Difference(0.9, 0.8, -0.15, -0.05 if sure else 0.01, 100)
    effects = tuple(
        HeadEffect(head, less if head.index == 1 else nothing, nothing, None)
        for head in every_head(run.model)
    )
    store_effects(path, HeadEffects(effects, 100, 3, run.step))


def test_every_head_has_its_scores_with_their_baselines(open_page, copy_scores):
    rows = table(open_scores(open_page))
    assert len(rows) == len(copy_scores)
    for (_, row), head in zip(rows.iterrows(), copy_scores, strict=True):
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
    at = open_scores(open_page, scores_of="decoder self")
    assert set(table(at)["attention"]) == {"decoder self"}
    assert "previous token" in table(at)
    assert not {"next token", "antecedents", "aligned, fed"} & set(table(at))


def test_the_chosen_head_is_said_with_score_baseline_n_and_seed(open_page, copy_scores):
    head = next(each for each in copy_scores if each.leading is not None)
    at = open_scores(open_page, scored=f"{head.head.site}.{head.head.index}")
    score = head.scores[head.leading]
    assert f"of {score.n:,} rows" in said(at)
    assert role_names.evidence(score) in said(at)
    assert f"{N} held-out sentences, seed 0" in said(at)


def test_a_ticked_row_is_kept_in_the_link_and_leads_to_its_map(open_page, copy_scores):
    at = open_scores(open_page, sentence="a b c", scores_of="cross")
    tick(at, 2)
    cross = [each for each in copy_scores if each.head.kind is Kind.CROSS]
    assert at.query_params["scored"] in (
        str(cross[2].head),
        [str(cross[2].head)],
    )
    assert link_of(at) == {
        "model": "copy",
        "sentence": "a b c",
        "kind": "decoder.cross",
        "layer": str(cross[2].head.layer),
        "head": str(cross[2].head.index),
    }


def test_the_link_opens_that_map(open_page, open_app):
    at = open_scores(open_page, scored="encoder.1.self.2")
    opened = open_app(**link_of(at))
    assert (opened.selectbox(key="layer").value, opened.selectbox(key="head").value) == (1, 2)
    assert opened.segmented_control(key="kind").value == "encoder.self"


@pytest.mark.parametrize("value", ["", "encoder.9.self.0", "decoder.0.cross.99", "²", "x" * 5000])
def test_a_link_to_a_head_that_is_not_there_falls_back(open_page, value):
    at = open_scores(open_page, scored=value)
    assert at.session_state[scores.TABLE]["selection"]["rows"] != []


def test_roles_that_prove_nothing_are_named(open_page, copy_scores):
    head = copy_scores[0]
    at = open_scores(open_page, scored=f"{head.head.site}.{head.head.index}")
    useless = [role_names.NAMES[r] for r, s in head.scores.items() if not s.beats_baseline]
    assert useless
    assert f"No better than their baselines: {', '.join(useless)}." in said(at)


def test_what_silencing_costs_is_shown_where_it_was_measured(open_page, own_copy):
    store(own_copy, sure=True)
    rows = table(open_scores(open_page, model="runs/mine"))
    assert rows["sentences"].tolist() == pytest.approx([-10.0 * (h == 1) for h in rows["head"]])
    assert "pronouns" not in rows


@pytest.mark.usefixtures("unmeasured_gallery")
def test_where_nothing_was_measured_no_column_says_so(open_page):
    assert not {"sentences", "pronouns"} & set(table(open_scores(open_page)))


def test_every_role_is_explained(open_page):
    at = unfold(open_scores(open_page), "how_to_read")
    for role in Role:
        assert f"**{role_names.NAMES[role]}**: {role_names.MEANINGS[role]}." in said(at)


def test_pairs_that_are_gone_are_said(open_page, own_copy):
    settings = json.loads((own_copy / "run.json").read_text())
    assert settings["task"] == "copy"
    settings["task"] = "pairs.tsv"
    (own_copy / "run.json").write_text(json.dumps(settings))
    at = open_page("heads", trial="scores", model="runs/mine", sentence="a b")
    assert not at.dataframe
    assert at.error


def test_a_head_without_a_row_that_has_a_choice_has_no_role(copy_scores):
    nothing = Measure(0.0, 0.0)
    empty = type(copy_scores[0])(
        copy_scores[0].head, {}, 0, nothing, nothing, nothing, nothing, 0, 1
    )
    assert role_names.leading(empty) == "none"
    assert "no role" in role_names.said(empty)


def test_an_offset_is_said_with_a_true_sign():
    score = Score(0.5, 0.25, "offset", 1200, -1)
    assert role_names.evidence(score) == (
        "in 50\u00a0% of 1,200 rows (best rule, always the token at offset −1: 25\u00a0%)"
    )
