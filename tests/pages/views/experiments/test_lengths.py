import json
from dataclasses import replace

from core.experiments import EXPERIMENTS
from core.experiments.results import SHIPPED, Results


def test_each_variants_share_is_that_of_all_seeds_together(open_experiment):
    results = Results.load(SHIPPED / "residuals.json")
    _at, shown, said = open_experiment("residuals", outcome="lengths")
    columns = shown.numbers()
    for variant in EXPERIMENTS["residuals"].variants:
        rows = [
            row
            for row in zip(*(columns[name] for name in columns), strict=True)
            if row[0] == variant.name
        ]
        assert {row[1]: row[2:] for row in rows} == results.by_length(variant.name)
    n, right = results.by_length("no_norm")[5]
    assert "(tokens: 5) to the longest (19): full layer 100 % → **23.8 %**" in said
    assert n >= 20 and f"no norm {100 * right / n:.0f} %" in said


def test_where_lengths_go_beyond_the_learned_ones_both_ends_are_said(open_experiment, monkeypatch):
    asked = replace(EXPERIMENTS["residuals"], beyond=(18, 19))
    monkeypatch.setitem(EXPERIMENTS, "residuals", asked)
    _at, taken, said = open_experiment("residuals", outcome="lengths")
    results = Results.load(SHIPPED / "residuals.json")
    for length, text in ((17, "(tokens: 5) to the longest (17)"), (19, "At 19, longer than any")):
        n, right = results.by_length("no_norm")[length]
        assert f"{100 * right / n:.1f}" in said.partition(text)[2]
    [shown] = taken.pictures
    assert "longer: never learned" in json.dumps(shown.chart.to_dict(), ensure_ascii=False)
