import json
from dataclasses import replace

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.results import SHIPPED, Results, Trained


def test_each_variants_share_is_that_of_all_seeds_together(open_experiment):
    results = Results.load(SHIPPED / "residuals.json")
    _at, shown, said = open_experiment("residuals", outcome="lengths")
    columns = shown.columns()
    for variant in EXPERIMENTS["residuals"].variants:
        rows = [
            row
            for row in zip(*(columns[name] for name in columns), strict=True)
            if row[0] == variant.name
        ]
        assert {row[1]: row[2:] for row in rows} == results.by_length(variant.name)
    n, right = results.by_length("no_norm")[5]
    assert "Right of the longest sources (tokens: 19, n = 21): full layer **23.8 %** · " in said
    shortest = said.partition(f"Of the shortest (5, n = {n}): full layer **100 %** · ")[2]
    assert n >= 20 and f"no norm **{100 * right / n:.0f} %**" in shortest


def test_where_lengths_go_beyond_the_learned_ones_both_ends_are_said(open_experiment, monkeypatch):
    asked = replace(EXPERIMENTS["residuals"], beyond=(18, 19))
    monkeypatch.setitem(EXPERIMENTS, "residuals", asked)
    _at, taken, said = open_experiment("residuals", outcome="lengths")
    results = Results.load(SHIPPED / "residuals.json")
    for length, text in (
        (17, "that were learned (tokens: 17, n = "),
        (19, "Of longer ones (19, n = "),
    ):
        n, right = results.by_length("no_norm")[length]
        assert f"{100 * right / n:.1f}" in said.partition(text)[2]
    [shown] = taken.pictures
    assert "longer: never learned" in json.dumps(shown.chart.to_dict(), ensure_ascii=False)


def test_where_variants_cut_words_in_their_own_way_each_has_its_own_lengths(
    open_experiment, own_runs
):
    folder = own_runs / ".experiments" / "vocabulary"
    folder.mkdir(parents=True)
    curve = {"step": [200], "held_out_exact_match": [0.5], "loss": [0.3]}
    one = Trained("base", 0, 10, 9.0, 50, 0.6, 0.2, None, 0, ((9, 30, 30), (12, 40, 10)), curve)
    other = replace(one, variant="300", by_length=((20, 25, 20), (21, 2, 1), (30, 40, 4)))
    Results("vocabulary", (one, other)).save(folder / "vocabulary.json")
    _at, taken, said = open_experiment("vocabulary", outcome="lengths", experiment_run="here")
    assert "1,500 pieces 100 % (tokens: 9) → **25 %** (12)" in said
    assert "300 pieces 80 % (tokens: 20) → **10 %** (30)" in said
    [shown] = taken.pictures
    rows = [row for each in shown.chart.to_dict()["datasets"].values() for row in each]
    assert [row["x"] for row in rows if "series" in row] == [20, 30, 9, 12]
