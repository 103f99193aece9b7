"""What silencing the heads costs that find what repeats, in words."""

import streamlit as st

from core.studies.effects.text_cost import TextCosts, text_costs
from core.studies.heads.antecedent import antecedent_of
from core.studies.heads.question import Role
from pages.frame import amounts, cached, notes
from pages.frame.language import _, n_, number, percent
from pages.frame.opening import Opened


def say_costs(opened: Opened) -> TextCosts:
    """Say what silencing costs a decoder, and whether a head of an encoder finds antecedents."""
    costs = cached.of_run(text_costs, opened.path, "random", Role.INDUCTION)
    antecedent = cached.of_run(antecedent_of, opened.path)
    for n, cost in costs.of.items():
        first = cost.first_half or cost.silenced
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
                before=number(cost.silenced.before, 2),
                after=number(cost.silenced.after, 2),
                other=number(cost.control.after, 2),
                first_before=number(first.before, 2),
                first_after=number(first.after, 2),
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
    if not costs.of and antecedent is None:
        st.caption(_("Nothing can be measured of this model: it has too few heads or positions."))
    return costs
