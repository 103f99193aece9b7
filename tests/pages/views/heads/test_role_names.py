import pytest

from core.runs.run import load_run
from core.studies.heads.question import Role, Score
from core.studies.heads.roles import Measure, roles_of_heads
from pages.views.heads import role_names
from tests.pages.conftest import ROOT, said, unfold

COPY = ROOT / "gallery" / "copy"


@pytest.fixture(scope="module")
def copy_scores():
    return roles_of_heads(load_run(COPY)).heads


def open_scores(open_page, **query_params):
    return open_page("heads", trial="roles", **{"model": "copy", **query_params})


def test_roles_that_prove_nothing_are_named(open_page, copy_scores):
    head = copy_scores[0]
    at = open_scores(open_page, scored=str(head.head), all_roles="true")
    useless = [role_names.NAMES[r] for r, s in head.scores.items() if not s.beats_baseline]
    assert useless
    assert f"No better than their baselines: {', '.join(useless)}." in said(at)


def test_every_role_is_explained(open_page):
    at = unfold(open_scores(open_page), "how_to_read")
    for role in role_names.NAMES:
        assert f"**{role_names.NAMES[role]}**: {role_names.MEANINGS[role]}." in said(at)


def test_a_head_without_a_row_that_has_a_choice_has_no_role(copy_scores):
    nothing = Measure(0.0, 0.0)
    empty = type(copy_scores[0])(
        copy_scores[0].head, {}, 0, nothing, nothing, nothing, nothing, 0, 1
    )
    assert role_names.leading(empty) == "none"
    assert role_names.farthest(empty) == "none"
    assert empty.above_baseline == 0


def test_a_fixed_distance_is_said_in_words():
    score = Score(0.5, 0.25, "offset", 1200, -1)
    assert role_names.evidence(score, Role.PREVIOUS) == (
        "in 50\u00a0% of 1,200 rows (best rule, always 1 token back: 25\u00a0%)"
    )
