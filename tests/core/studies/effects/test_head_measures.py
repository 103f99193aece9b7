"""All measures of all heads, joined from the studies that measure them."""

import pytest

from core.runs.run import load_run
from core.studies.effects.head_measures import SHARP, HeadMeasures, Measured, head_measures
from core.studies.effects.measuring import stored_effects
from core.studies.heads.roles import roles_of_heads
from core.studies.heads.row_statistics import row_statistics
from tests.core.conftest import GALLERY

N = 30


@pytest.fixture(scope="module")
def studies():
    run = load_run(GALLERY / "copy")
    return roles_of_heads(run, N), row_statistics(run, N), stored_effects(run)


@pytest.fixture(scope="module")
def found(studies):
    return head_measures(*studies)


def test_every_measure_is_what_its_study_found(studies, found):
    roles, statistics, effects = studies
    for each in roles.heads:
        rows, effect = statistics[each.head], effects.of(each.head)
        exact, loss = effect.exact_match, effect.loss
        expected = {
            "largest_weight": Measured(each.confidence, rows.even_largest),
            "entropy": Measured(each.evenness, 1.0),
            "added": Measured(rows.added),
            "exact_match_lost": Measured(-exact.change, interval=(-exact.high, -exact.low)),
            "loss_added": Measured(loss.change, interval=(loss.low, loss.high)),
            **{str(role): Measured(s.value, s.baseline) for role, s in each.scores.items()},
        }
        if each.head.kind.is_self:
            expected["distance"] = Measured(rows.distance, rows.even_distance)
        assert {n: of[each.head] for n, of in found.measures.items() if each.head in of} == expected
    assert found.sharp == {each.head for each in roles.heads if each.confidence >= SHARP}
    assert found.needed == {e.head for e in effects.heads if any(e.lost.values())}


def test_only_heads_that_have_both_measures_are_points(found):
    assert found.having("distance", "aligned_fed") == []
    heads = [each.head for each in found.having("distance", "largest_weight")]
    assert heads == [each.head for each in found.heads if each.head.kind.is_self]
    table = found.table()
    columns = (table["head"], table["distance"], table["largest_weight"])
    of = {head: list(values) for head, *values in zip(*columns, strict=True)}
    points_N2 = found.points("distance", "largest_weight")
    assert points_N2.tolist() == [of[str(head)] for head in heads]
    assert all(of[str(e.head)][0] is None for e in found.heads if not e.head.kind.is_self)


def test_outliers_lie_farthest_from_the_median_whatever_the_units(found):
    heads = [each.head for each in found.heads][:6]
    values = {"x": [0, 1, 2, 1, 0, 9], "y": [0.01, 0.02, 0.01, 0.03, 0.3, 0.02]}
    measures = {
        name: dict(zip(heads, map(Measured, of), strict=True)) for name, of in values.items()
    }
    made = HeadMeasures(found.heads[:6], measures, None)
    assert set(made.outliers("x", "y", 2)) == {heads[5], heads[4]}
    assert made.rank_correlation("x", "x") == pytest.approx(1)
