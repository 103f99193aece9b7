"""What a card says of a head in a model of one stack: roles that need no task, and its cost."""

from collections.abc import Mapping

from core.evaluate.intervals import Difference
from core.runs.run import Run
from core.studies.effects.text_cost import HeadCost, knows_labels
from core.studies.heads.question import Role, Score
from core.studies.heads.text_roles import TextRoles, text_roles
from pages.frame import controls
from pages.frame.language import _, n_, number, percent
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.views.heads.role_names import NAMES

COSTS = "text_costs"
"""In the link: whether it is measured what silencing costs."""


def on_random(opened: Opened) -> Recipe[TextRoles] | None:
    """Return what its heads do on random tokens that repeat; None where none can be drawn."""
    recipe = Recipe(text_roles, opened.path, "random")
    try:
        recipe.result()
    except ValueError:
        # The view “roles” says why.
        return None
    return recipe


def ask_cost(opened: Opened) -> bool:
    """Ask whether to measure what silencing the head costs, where that can be measured."""
    return knows_labels(opened.run) and controls.toggle(_("what silencing costs"), COSTS)


def roles(scores: Mapping[Role, Score]) -> str:
    """Return the roles on random tokens that beat an even row, the largest first, as Markdown."""
    held = {role: score for role, score in scores.items() if score.beats_baseline}
    if not held:
        return _("**On random tokens, twice:** no role beats an even row.")
    said = [
        _("{role}: {share} of its weight (an even row {even})").format(
            role=_(NAMES[role]), share=percent(score.value), even=percent(score.baseline)
        )
        for role, score in sorted(held.items(), key=lambda each: -each[1].value)
    ]
    return _("**On random tokens, twice**") + "\n" + "\n".join(f"- {each}" for each in said)


def silenced(run: Run, cost: HeadCost | None) -> str:
    """Return what silencing the head costs, as Markdown."""
    if not knows_labels(run):
        return _(
            "**Silenced:** an encoder alone goes on with no text, and nobody here knows which "
            "tokens this one learned to predict: nothing can be measured."
        )
    if cost is None:
        return _("**Silenced:** not measured yet (“what silencing costs” above measures it).")
    said = [_("{before} → **{after}** nats per token ({interval})").format(**_parts(cost.silenced))]
    if cost.others is not None:
        text = _("another head of its layer, on average: → {after} ({interval})")
        said.append(text.format(**_parts(cost.others)))
    return _("**Silenced**") + "\n" + "\n".join(f"- {each}" for each in said)


def cost_within_sentence(cost: HeadCost | None) -> str:
    """Return what silencing costs in half a sentence; empty where it was not measured."""
    if cost is None:
        return ""
    if not cost.silenced.is_sure:
        return _("no change was found when it is silenced")
    return _("silencing it changes the loss by {change} nats per token").format(
        change=number(cost.silenced.change, signed=True)
    )


def _parts(found: Difference) -> dict[str, str]:
    if found.n < 2:
        interval = _("one text: no interval")
    else:
        text = n_(
            "change {low} to {high}, n = {n} text", "change {low} to {high}, n = {n} texts", found.n
        )
        interval = text.format(
            low=number(found.low, 3, signed=True), high=number(found.high, 3, signed=True)
        )
    return {
        "before": number(found.before, 3),
        "after": number(found.after, 3),
        "interval": interval,
    }
