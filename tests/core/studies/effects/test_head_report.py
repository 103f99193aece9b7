import pytest

from core.heads import Head
from core.runs.run import load_run
from core.studies.effects.head_report import head_card, head_likeness, head_report
from core.studies.effects.measuring import stored_effects
from core.studies.heads.roles import roles_of_heads
from tests.core.conftest import GALLERY

HEAD = Head.parse("decoder.1.cross:2")
N = 30


@pytest.fixture(scope="module")
def known():
    run = load_run(GALLERY / "copy")
    likeness = head_likeness(run, HEAD.kind, N)
    card = head_card(run, HEAD, roles_of_heads(run, N), N)
    return head_report(card, likeness, stored_effects(run))


def rows_of(known):
    columns = known.table()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def test_a_file_has_every_number_that_is_shown(known):
    rows = rows_of(known)
    weights = [each["value"] for each in rows if each["what"] == "weight"]
    assert sum(weights) == pytest.approx(len(known.card.strata), abs=1e-5)
    effects = [each["value"] for each in rows if each["what"] == "direct_effect"]
    assert [row.written.on_target for row in known.card.strata] == effects[10::11]
    means = {e["name"]: e["value"] for e in rows if e["what"] == "mean_largest_weight"}
    assert means == {str(each.head): each.confidence for each in known.heads}
    [exact] = [r for r in rows if (r["what"], r["name"]) == ("silenced", "exact_match")]
    change = known.effects.of(HEAD).exact_match
    assert (exact["low"], exact["high"], exact["n"]) == (change.low, change.high, change.n)
