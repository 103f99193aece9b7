"""The roles of a model's heads on text of no task: random tokens that repeat, or one's own lines.

Each role is a map of layers × heads, and one row of the chosen head shows what it means.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import streamlit as st

from core.evaluate.intervals import Difference
from core.heads import Head, Kind
from core.runs.run import Run
from core.studies.effects.text_cost import (
    TextCost,
    TextCosts,
    TextReport,
    control_heads,
    text_costs,
)
from core.studies.heads.antecedent import AntecedentHead, antecedent_head, antecedent_of
from core.studies.heads.question import Role, Score, ask, target_keys
from core.studies.heads.text_roles import RoleRow, TextRoles, text_roles, text_row
from core.studies.heads.texts import SEED, Source
from pages.frame import cached, clicks, controls, measured_on, notes, session
from pages.frame.components import matrices
from pages.frame.language import N_, _, listed_apart, n_, number, percent, plain
from pages.frame.maps import labels
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.heads import named_heads
from pages.views.heads.own_text import OWN, RANDOM, ask_text
from viz.charts.token_strips import TokenStrip, token_strips
from viz.component.standalone import Drawn
from viz.plane.matrices import Matrices, Matrix, numbered

ROLE, HEAD, COSTS = "text_role", "text_head", "text_costs"
"""In the link: which role, which head, and whether silencing is measured."""
MAP = "text_roles_map"
_ROOMY = 12
"""So many heads of a layer have room for a number in each cell."""
NAMES = {
    Role.INDUCTION: N_("induction"),
    Role.DUPLICATE: N_("duplicate"),
    Role.PREVIOUS: N_("previous token"),
    Role.FIRST: N_("first token"),
    Role.ITSELF: N_("itself"),
}
"""What a role is called in a word or two; marked for translation."""
MEANINGS = {
    Role.INDUCTION: N_(
        "the token that came after the same one before: what comes next if the text repeats"
    ),
    Role.DUPLICATE: N_("the same token at its other place"),
    Role.PREVIOUS: N_("the token before"),
    Role.FIRST: N_("the first token, where a head leaves weight that it has no use for"),
    Role.ITSELF: N_("its own place"),
}
"""Where a row's weight has to go for the role; marked for translation."""


def draw(opened: Opened) -> Shown | None:
    """Draw the map of a role, one row of a head, and what silencing costs on request."""
    with st.container(horizontal=True, vertical_alignment="center"):
        controls_here = st.container(horizontal=True, vertical_alignment="center")
        source: Source = OWN if ask_text(opened) else RANDOM
    roles = Recipe(text_roles, opened.path, source)
    try:
        found = roles.result()
    except ValueError as error:
        st.info(plain(explained(error)))
        return None
    with controls_here:
        role = _ask(opened.run, found)
        measured = controls.toggle(_("what silencing costs"), COSTS)
    # In random tokens only what repeats can be predicted, which induction heads find.
    asked = role if source == OWN else Role.INDUCTION
    costs = Recipe(text_costs, opened.path, source, asked) if measured else None
    recipe = Recipe(TextReport, roles, costs)
    head = _chosen(found, role)
    left, right = st.columns([9, 11], gap="medium")
    with left:
        picture = matrices(_map(found, role, head), key=MAP, on_pick=partial(_take, found, role))
    with right:
        row = cached.call(text_row, opened.path, source, role, head)
        strip = _draw_row(opened, row, role)
        named_heads.link_to_map(opened, head)
        st.caption(_on_what(found))
        if costs is not None:
            _say_costs(opened, costs.result())
    text = view_text("heads", "roles").sections
    return Shown(
        name=f"roles_in_text_{role}",
        title=_("Which heads look at {what}").format(what=_(MEANINGS[role])),
        recipe=recipe,
        code=(
            *(target_keys, ask, control_heads),
            *(() if source == OWN else (antecedent_head,)),
        ),
        seen=_seen(found, role, head),
        pictures=[picture, strip],
        about={"head": notes.site_and_head(head)},
        formula=text["Formula of a text"].strip("$\n"),
        how_to_read=text["How to read a text"],
    )


def _say_costs(opened: Opened, costs: TextCosts) -> None:
    """Say what silencing costs a decoder, and whether a head of an encoder finds antecedents."""
    for n, cost in costs.of.items():
        st.markdown(_cost(n, cost, repeats=costs.source == RANDOM))
    if costs.source == OWN:
        said = _("Heads are chosen by every other line, and silenced in those between.")
        if not costs.of:
            said = _(
                "Only a decoder alone goes on with a text of its own. It needs other heads to "
                "compare with, and two lines of two tokens or more: here nothing can be measured."
            )
        st.caption(said)
        return
    antecedent = cached.call(antecedent_of, opened.path)
    if antecedent is not None:
        st.markdown(_antecedent(antecedent))
    elif not costs.of:
        st.caption(_("Nothing can be measured of this model: it has too few heads or positions."))


def _cost(n: int, cost: TextCost, *, repeats: bool) -> str:
    """Say what silencing `n` heads costs, beside silencing other heads."""
    text = n_(
        "Without the head that does this most, −log p of the next token goes from {before} "
        "to **{after}** nats ({interval}); without another head of its layer to {other}.",
        "Without the {n} heads that do this most, −log p of the next token goes from {before} "
        "to **{after}** nats ({interval}); without as many others of the same layers to {other}.",
        n,
    )
    if repeats:
        text = n_(
            "Without the best induction head, −log p of the repetition goes from {before} to "
            "**{after}** nats ({interval}); without another head of its layer to {other}. In the "
            "first half: {first_before} → {first_after}.",
            "Without the {n} best induction heads, −log p of the repetition goes from {before} to "
            "**{after}** nats ({interval}); without as many others of the same layers to {other}. "
            "In the first half: {first_before} → {first_after}.",
            n,
        )
    first = cost.first_half or cost.silenced
    return text.format(
        n=number(n),
        before=number(cost.silenced.before, 3),
        after=number(cost.silenced.after, 3),
        interval=_change(cost.silenced, repeats=repeats),
        other=number(cost.control.after, 3),
        first_before=number(first.before, 3),
        first_after=number(first.after, 3),
    )


def _change(found: Difference, *, repeats: bool) -> str:
    """Return between what the change may lie, and by how many texts; of one line nobody knows."""
    if found.n < 2:
        return _("one line: no interval")
    text = n_(
        "change {low} to {high}, n = {n} line", "change {low} to {high}, n = {n} lines", found.n
    )
    if repeats:
        text = n_(
            "change {low} to {high}, n = {n} text", "change {low} to {high}, n = {n} texts", found.n
        )
    return text.format(low=number(found.low, 3), high=number(found.high, 3), n=number(found.n))


def _antecedent(found: AntecedentHead) -> str:
    low, high = found.interval
    text = _(
        "From “it”, **{head}** looks more at the antecedent than at other nouns in "
        "**{share}** of {n} ({low} to {high}; the nearest noun: {nearest}). Of all heads "
        "it was the best on other sentences."
    )
    return text.format(
        head=notes.within_sentence(found.head),
        share=percent(found.share),
        n=measured_on.n_sentences(found.n),
        low=percent(low),
        high=percent(high),
        nearest=percent(found.baselines.nearest_noun),
    )


def _ask(run: Run, found: TextRoles) -> Role:
    """Ask for a role; a decoder opens on induction, which an encoder has no use for."""
    wanted = Role.INDUCTION if "decoder" in run.model.config.stacks else Role.PREVIOUS
    offered = {role: _(name) for role, name in NAMES.items() if role in found.scores}
    usual = wanted if wanted in offered else next(iter(offered))
    return controls.choice(_("Role"), ROLE, offered, usual)


def _chosen(found: TextRoles, role: Role) -> Head:
    """Return the head that the link names, or else the one with the largest share."""
    named = {str(head): head for head in found.scores[role]}
    return named.get(session.linked(HEAD) or "", found.best(role)[0])


def _map(found: TextRoles, role: Role, chosen: Head) -> Matrices:
    panels = [_panel(kind, heads, found.scores[role]) for kind, heads in _kinds(found).items()]
    at = list(_kinds(found)).index(chosen.kind)
    return Matrices(
        panels=panels,
        selected=(at, chosen.layer, chosen.index),
        texts={
            "cell": _("layer {row}, head {column}: {value} of its weight"),
            "help.pick": _("Arrow keys move from head to head, Enter chooses one."),
        },
    )


def _panel(kind: Kind, heads: Sequence[Sequence[Head]], scores: Mapping[Head, Score]) -> Matrix:
    shares = [[scores[head].value for head in layer] for layer in heads]
    roomy = len(heads[0]) <= _ROOMY
    return Matrix(
        title=_("{kind}: layers × heads").format(kind=_(kind.label)),
        values=np.array(shares, np.float32),
        rows=numbered(_("layer"), len(heads)),
        columns=numbered(_("head"), len(heads[0])),
        texts=[[number(each, 2) for each in layer] for layer in shares] if roomy else None,
        details=[[_detail(scores[head]) for head in layer] for layer in heads],
        value_name=_("mean weight"),
    )


def _detail(score: Score) -> str:
    even = _("an even row {even}").format(even=number(score.baseline, 3))
    return listed_apart([_interval(score, partial(number, digits=3)), even])


def _interval(score: Score, written: Callable[[float], str]) -> str:
    """Return between what the share may lie; of one line nobody knows."""
    if score.n_texts < 2:
        return _("one line: no interval")
    low, high = map(written, score.interval)
    return _("95 %: {low} to {high}").format(low=low, high=high)


def _kinds(found: TextRoles) -> dict[Kind, list[list[Head]]]:
    """Return kind of attention → its heads by layer."""
    kinds: dict[Kind, list[list[Head]]] = {}
    for head in sorted(next(iter(found.scores.values()))):
        layers = kinds.setdefault(head.kind, [])
        if len(layers) == head.layer:
            layers.append([])
        layers[head.layer].append(head)
    return kinds


def _take(found: TextRoles, role: Role) -> None:
    """Take over the head whose cell was clicked."""
    if pick := clicks.picked(MAP):
        layers = list(_kinds(found).values())[int(pick["panel"])]
        session.choose({HEAD: str(layers[int(pick["row"])][int(pick["column"])])})


def _draw_row(opened: Opened, row: RoleRow, role: Role) -> Drawn:
    text = _("**One of its rows** gives **{weight}** to {what}")
    weight = float(row.weights_K[row.key])
    st.markdown(text.format(weight=number(weight, 2), what=_(MEANINGS[role])))
    tokens = opened.run.tokenizer.describe(row.ids)
    query = tokens[row.query].text
    drawn = token_strips(
        [
            TokenStrip(
                looks=query,
                description=_("{query} → {key} {weight}").format(
                    query=query, key=tokens[row.key].text, weight=number(weight, 2)
                ),
                keys=labels(tokens),
                weights_K=row.weights_K,
                visible_K=row.visible_K,
                most=row.key,
                written=number(weight, 2),
                query=row.query,
            )
        ]
    )
    st.html(drawn)
    return Drawn(html=drawn)


def _on_what(found: TextRoles) -> str:
    if found.half is None:
        n = max(score.n_texts for of in found.scores.values() for score in of.values())
        return n_("In {n} line of your own.", "In {n} lines of your own.", n).format(n=number(n))
    return n_(
        "{n} sequence of {half} random tokens, each read twice; seed {seed}.",
        "{n} sequences of {half} random tokens, each read twice; seed {seed}.",
        found.n_texts,
    ).format(n=number(found.n_texts), half=number(found.half), seed=SEED)


def _seen(found: TextRoles, role: Role, head: Head) -> str:
    """Say how much of its weight a head gives to a role, beside an even row."""
    score = found.scores[role][head]
    n_clear = sum(each.value >= 0.5 for each in found.scores[role].values())
    said = _("**{head}** gives **{share}** of its weight to {what} (an even row: {even}). {clear}")
    clear = n_(
        "{n} of {of} heads gives half of its weight or more there.",
        "{n} of {of} heads give half of their weight or more there.",
        n_clear,
    ).format(n=number(n_clear), of=number(len(found.scores[role])))
    return said.format(
        head=notes.site_and_head(head),
        share=percent(score.value),
        what=_(MEANINGS[role]),
        even=percent(score.baseline),
        clear=clear,
    )
