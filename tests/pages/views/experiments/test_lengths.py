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
