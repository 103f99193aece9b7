"""What each part of the decoder adds to a written word's logit: sublayers, and their heads."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from core.heads import Head, Site
from core.studies.attribution.logit_terms import LogitTerms, logit_terms, terms_of
from core.studies.effects.patching import layer_maps
from core.studies.lessons.layers import sublayer_name
from pages.frame import components, notes
from pages.frame.charts import chart
from pages.frame.language import _, capitalised, joined, number, plain
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from pages.views.heads.patch import panel
from viz.charts.bars import bars
from viz.charts.curves import Quantity
from viz.component.standalone import Drawn
from viz.plane.matrices import Matrices

LEAD, MAPS = "logit_lead", "logit_heads"
Effects = Mapping[Site | Head | None, float]


WRITE = partial(number, digits=1)
FORMULA = (
    r"\mathrm{logit}_y = w_y \cdot \sum_i \mathrm{norm}(t_i) + b_y, \quad t_i: "
    r"\text{what a part adds; the norm’s mean and scale are those of the whole sum}"
)


def shown(opened: Opened, step: int, lead: bool) -> Shown:
    """Draw what each sublayer and each head adds, and say which adds most."""
    recipe = Recipe(logit_terms, opened.writer, opened.inspecting, step)
    study = recipe.result()
    effects = study.effects(difference=lead)
    parts = {part: each for part, each in effects.items() if not isinstance(part, Head)}
    quantity = _quantity(study, lead)
    title = _("What each part adds to {quantity}").format(quantity=quantity)
    picture = bars(
        {title: list(parts.values())},
        [_name(part) for part in parts],
        value=Quantity(_("logit"), write=WRITE),
        title=title,
    )
    return Shown(
        name="logit_attribution",
        title=title,
        question=_("Which parts of the model write this word?"),
        recipe=recipe,
        seen=_seen(study, effects, lead),
        code=(terms_of,),
        pictures=[chart(picture), _draw_heads(effects, title)],
        formula=FORMULA,
    )


def _quantity(study: LogitTerms, lead: bool) -> str:
    text = _("the logit of “{word}”")
    if lead:
        text = _("the logit of “{word}” minus that of “{other}”")
    return text.format(word=study.word.text, other=study.runner_up.text)


def _name(part: Site | None) -> str:
    return _("biases") if part is None else explained(sublayer_name(part))


def _seen(study: LogitTerms, effects: Effects, lead: bool) -> str:
    """Say what the sum is, and which sublayer and which head add most to it."""
    parts = {part: each for part, each in effects.items() if not isinstance(part, Head)}
    heads = {part: each for part, each in effects.items() if isinstance(part, Head)}
    part, head = max(parts, key=parts.__getitem__), max(heads, key=heads.__getitem__)
    text = _("The logit of “{word}” is {sum}, the sum of all bars.")
    if lead:
        text = _(
            "The logit of “{word}” is {sum} above that of “{other}”, the runner-up: the sum of all "
            "bars."
        )
    most = _("**{part}** adds most: **{most}**. Of the heads, **{head}** adds most: **{of_head}**.")
    return joined([text, most]).format(
        word=plain(study.word.text),
        other=plain(study.runner_up.text),
        sum=number(sum(parts.values()), 1),
        part=plain(capitalised(_name(part))),
        most=number(parts[part], 1),
        head=notes.within_sentence(head),
        of_head=number(heads[head], 1),
    )


def _draw_heads(effects: Effects, title: str) -> Drawn:
    """Draw one matrix for each kind of attention: layers × heads, and the whole sublayer."""
    heads = {part: each for part, each in effects.items() if isinstance(part, Head)}
    sites = {head.site: effects[head.site] for head in heads}
    maps = layer_maps(heads, sites)
    limit = max(float(np.abs(values_LH).max()) for values_LH in maps.values())
    panels = [
        replace(panel(kind, values_LH, at, WRITE), limit=limit, scale="signed", value_name=title)
        for at, (kind, values_LH) in enumerate(maps.items())
    ]
    texts = {"cell": _("layer {row}, head {column}: {value}")}
    return components.show(Matrices(panels=panels, texts=texts), key=MAPS)
