"""What silencing the heads costs that find what repeats, in words, and all numbers of that view."""

import streamlit as st

from core.runs.run import Run
from core.studies.effects.line_cost import LineCost
from core.studies.effects.repetition_cost import RepetitionCost, costs_of_induction
from core.studies.heads.antecedent import antecedent_of
from core.studies.heads.repeated_text import TextRoles, roles_on_text
from pages.frame import amounts, cached, notes
from pages.frame.language import _, n_, number, percent
from pages.frame.opening import Opened
from pages.frame.view import Columns


def say_costs(opened: Opened) -> dict[int, RepetitionCost]:
    """Say what silencing costs a decoder, and whether a head of an encoder finds antecedents."""
    costs = cached.of_run(_costs, opened.path)
    antecedent = cached.of_run(antecedent_of, opened.path)
    for n, cost in costs.items():
        rise = cost.silenced.second
        st.markdown(
            n_(
                "Without the best induction head, −log p of the repetition goes from {before} to "
                "**{after}** nats; without another head of its layer to {other}. In the first "
                "half: {first_before} → {first_after}.",
                "Without the {n} best induction heads, −log p of the repetition goes from {before} "
                "to **{after}** nats; without as many others of the same layers to {other}. In the "
                "first half: {first_before} → {first_after}.",
                n,
            ).format(
                n=number(n),
                before=number(rise.before, 2),
                after=number(rise.after, 2),
                other=number(cost.control.second.after, 2),
                first_before=number(cost.silenced.first.before, 2),
                first_after=number(cost.silenced.first.after, 2),
            )
        )
    if antecedent is not None:
        low, high = antecedent.interval
        st.markdown(
            _(
                "From “it”, **{head}** looks more at the antecedent than at other nouns in "
                "**{share}** of {n} ({low} to {high}; the nearest noun: {nearest}). Of all heads "
                "it was the best on other sentences."
            ).format(
                head=notes.within_sentence(antecedent.head),
                share=percent(antecedent.share),
                n=amounts.sentences(antecedent.n),
                low=percent(low),
                high=percent(high),
                nearest=percent(antecedent.baselines.nearest_noun),
            )
        )
    if not costs and antecedent is None:
        st.caption(_("Nothing can be measured of this model: it has too few heads or positions."))
    return costs


def _costs(run: Run) -> dict[int, RepetitionCost]:
    return costs_of_induction(run, cached.of_run(roles_on_text, run.path))


def numbers(
    found: TextRoles, costs: dict[int, RepetitionCost], line_costs: dict[int, LineCost]
) -> Columns:
    """Return a row for each role and head, and one for each number of silenced heads."""
    rows = [
        (str(role), str(head), each.share, each.baseline, *each.interval, each.n_sequences)
        for role, scores in found.scores.items()
        for head, each in scores.items()
    ]
    silenced = [("induction", cost.silenced.heads, cost.silenced.second) for cost in costs.values()]
    silenced += [("in_lines", cost.heads, cost.silenced) for cost in line_costs.values()]
    rows += [
        (
            f"silenced_{where}",
            " ".join(map(str, heads)),
            each.after,
            each.before,
            each.low,
            each.high,
            each.n,
        )
        for where, heads, each in silenced
    ]
    names = ("role", "head", "value", "baseline", "low", "high", "n")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
