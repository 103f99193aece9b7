"""Writes docs/experiments.md, from the results that ship: python -m docs.experiments."""

from collections.abc import Iterator
from pathlib import Path

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.experiment import (
    BASE,
    LONGER,
    MOST_SEEDS,
    RATES,
    SEEDS,
    WITHIN,
    Experiment,
)
from core.studies.experiments.findings import (
    ENOUGH,
    Finding,
    Verdict,
    Writing,
    findings,
    learned_share,
)
from core.studies.experiments.results import SHIPPED, Results

FILE = Path(__file__).parent / "experiments.md"
SIGNS = {Verdict.HOLDS: "✓", Verdict.FAILS: "✗", Verdict.OPEN: "?"}
BEFORE = {
    **{"bottleneck": "✓", "reading": "?", "heads": "? ✗", "projections": "✗ ✓ ✓ ✓"},
    **{"scale": "✓ ✓", "linear": "? ?", "mixing": "? ? ?", "order": "✓ ? ✓ ✓"},
    **{"embedding": "✓", "residuals": "✓ ✓ ?", "depth": "✓ ✗ ✓ ✓ ✓", "norms": "✓ ✗ ✓ ✗ ? ?"},
    **{"memory": "? ? ?", "forcing": "✗", "metric": "? ?", "guide": "? ?", "parallel": "✓ ✓ ✓"},
    **{"copying": "✓ ✓ ✓", "vocabulary": "✓ ✓ ✓"},
}
"""The verdicts before these rules: at one learning rate, and mostly after 800 steps."""
TEXT = f"""# The experiments

How each of the {len(EXPERIMENTS)} questions of the page “Experiments” was answered.
`python -m docs.experiments` writes this page from the results in `gallery/experiments`;
`python -m core experiment run NAME OUT` makes the results of a question again.

- Each variant is trained with {", ".join(f"{rate:g}" for rate in RATES)} times the learning rate of
  the question. The one with the lowest loss on held-out sentences is judged (`metric`: with the
  most right sentences; `guide`: with the fewest steps).
- The base is trained {LONGER} times as long, too. If it has less than {round(100 * ENOUGH)} % of
  what it then reaches, nothing is decided.
- Each variant has {SEEDS} seeds, and {MOST_SEEDS} where the interval of {SEEDS} decides nothing.
- A claim is borne out (✓) or refuted (✗) if the whole 95 % interval of the difference, seed by
  seed, agrees; “as good” is at most {round(100 * WITHIN)} points worse. Everything else is
  undecided (?).

Where no share of the base is given, the results are older than these rules: all variants were
trained at one learning rate, and none longer. Such claims stay undecided. Some that {SEEDS} seeds
left undecided have no more seeds yet.

## By question

The verdicts are those of the variants that the claim is about, in their order.

| question | steps | seeds | the base has, of {LONGER} × the steps | before | now |
|---|---|---|---|---|---|
"""
VARIANTS = """
## By variant

“Less” is the difference from what the variant is compared with, and its 95 % interval: in points,
or in the unit of the measure that the claim is about.

| question | variant | parameters | learning rate × | mean | less | claim | verdict |
|---|---|---|---|---|---|---|---|
"""


def page() -> str:
    """Return the page."""
    found = [(each, Results.load(SHIPPED / f"{name}.json")) for name, each in EXPERIMENTS.items()]
    of_questions = "\n".join(_question(*each) for each in found)
    of_variants = "\n".join(row for each in found for row in _variants(*each))
    return f"{TEXT}{of_questions}\n{VARIANTS}{of_variants}\n"


def _found(experiment: Experiment, results: Results) -> list[Finding]:
    return findings(experiment, results, experiment.measure(experiment.judged_by))


def _sign(finding: Finding) -> str:
    return SIGNS[finding.judged.verdict] if finding.judged else ""


def _question(experiment: Experiment, results: Results) -> str:
    steps = results.of(BASE)[0].curve["step"][-1]
    share = learned_share(experiment, results)
    judged = [_sign(each) for each in _found(experiment, results) if each.judged]
    cells = (
        experiment.question,
        f"{steps:,.0f}",
        "–".join(map(str, sorted({*results.n_seeds}))),
        "–" if share is None else Writing().share(share),
        BEFORE.get(experiment.name, ""),
        " ".join(judged),
    )
    return _row(cells)


def _variants(experiment: Experiment, results: Results) -> Iterator[str]:
    tried = {each.variant for each in results.tried}
    for each in _found(experiment, results):
        in_percent = each.measure is None or each.measure.share
        write = Writing().share if in_percent else Writing().number
        rate = f"{results.rates[each.name]:g}" if each.name in tried else "1, no other tried"
        cells = (
            experiment.name,
            each.variant,
            f"{results.of(each.name)[0].parameters:,}",
            rate,
            write(each.share.mean) if each.complete else "not reached in every training",
            _less(each, 100 if in_percent else 1),
            each.expected.replace("_", " ") if each.expected else "",
            _sign(each),
        )
        yield _row(cells)


def _less(finding: Finding, scale: int) -> str:
    if finding.less is None:
        return ""
    mean, low, high = (
        Writing().points(scale * figure)
        for figure in (finding.less.mean, finding.less.low, finding.less.high)
    )
    return f"{mean} ({low} to {high})"


def _row(cells: tuple[object, ...]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    FILE.write_text(page(), encoding="utf-8")
