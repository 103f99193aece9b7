import json
from urllib.parse import parse_qs

import pytest

from core.heads import Kind
from core.runs.run import load_run
from core.studies.heads.roles import roles_of_heads
from pages.frame.language import percent
from pages.views.heads import role_names, roles
from tests.pages.conftest import ROOT, said, tick_rows

COPY = ROOT / "gallery" / "copy"


@pytest.fixture(scope="module")
def copy_scores():
    return roles_of_heads(load_run(COPY)).heads


def open_roles(open_page, **query_params):
    return open_page("heads", trial="roles", **{"model": "copy", **query_params})


def tick(at, row):
    [found] = at.dataframe
    tick_rows(at, found, row)


def link_of(at):
    [found] = at.get("page_link")
    return {name: values[0] for name, values in parse_qs(found.proto.query_string).items()}


def seen(at):
    [line] = [each.value for each in at.markdown if "**What you see**" in each.value]
    return line


def ordered(heads):
    """Return heads by how far their best role is above its baseline; equal ones stay."""
    return sorted(heads, key=lambda head: -max(above(head).values(), default=0))


def above(head):
    return {
        role: score.value - score.baseline
        for role, score in head.scores.items()
        if score.beats_baseline
    }


def test_it_opens_on_the_head_that_differs_most_from_chance(open_page, copy_scores):
    at = open_roles(open_page)
    head = ordered(copy_scores)[0]
    role = max(above(head), key=above(head).get)
    farther = [max(above(each).values(), default=0) for each in ordered(copy_scores)[:2]]
    # Of equal heads none is said to go farthest.
    assert ("has the clearest role" in seen(at)) is (farther[0] > farther[1])
    assert f"**{role_names.named(role, head)}" in seen(at)
    assert f" {percent(head.scores[role].value)} of {head.scores[role].n:,} rows" in seen(at)
    assert percent(head.scores[role].baseline) in seen(at)
    assert "400 held-out rows of letters, seed 0" in said(at)


def test_of_another_head_its_own_role_is_said(open_page, copy_scores):
    head = ordered(copy_scores)[-1]
    at = open_roles(open_page, scored=str(head.head))
    assert "clearest" not in seen(at)
    if above(head):
        role = max(above(head), key=above(head).get)
        assert role_names.evidence(head.scores[role], role) in seen(at)
    else:
        assert "no role that beats" in seen(at)


def test_a_ticked_row_is_kept_in_the_link_and_leads_to_its_map(open_page, copy_scores):
    at = open_roles(open_page, sentence="a b c", scores_of="cross")
    tick(at, 2)
    cross = ordered(each for each in copy_scores if each.head.kind is Kind.CROSS)
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


@pytest.mark.parametrize("value", ["", "encoder.9.self.0", "decoder.0.cross.99", "²", "x" * 5000])
def test_a_link_to_a_head_that_is_not_there_falls_back(open_page, value):
    at = open_roles(open_page, scored=value)
    assert at.session_state[roles.TABLE]["selection"]["rows"] != []


def test_pairs_that_are_gone_are_said(open_page, own_copy):
    settings = json.loads((own_copy / "run.json").read_text())
    assert settings["task"] == "copy"
    settings["task"] = "pairs.tsv"
    (own_copy / "run.json").write_text(json.dumps(settings))
    at = open_page("heads", trial="roles", model="runs/mine", sentence="a b")
    assert not at.dataframe
    assert at.error
