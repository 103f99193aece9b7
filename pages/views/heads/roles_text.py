"""The roles of a model's heads on text of no task: random tokens that repeat, or one's own lines.

Each role is a map of layers × heads, and one row of the chosen head shows what it means.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.heads import Head, Kind
from core.runs.run import Run
from core.studies.effects.text_cost import TextReport, cost_of_head
from core.studies.heads.question import Role, Score, ask, target_keys
from core.studies.heads.text_roles import RoleRow, TextRoles, text_roles, text_row
from core.studies.heads.texts import SEED, Source
from pages.frame import clicks, components, controls, notes, session
from pages.frame.language import N_, _, listed_apart, n_, number, percent, plain
from pages.frame.maps import labels
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.heads import head_text, named_heads, role_names
from pages.views.heads.own_text import OWN, RANDOM, ask_text
from viz.charts.token_strips import TokenStrip, token_strips
from viz.component.standalone import Drawn
from viz.plane.matrices import Matrices, Matrix, numbered

ROLE, HEAD = "text_role", "text_head"
"""In the link: which role, and which head."""
MAP = "text_roles_map"
_ROOMY = 12
"""Most heads of a layer with room for a number in each cell."""
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


def draw(opened: Opened, row: DeltaGenerator) -> Shown | None:
    """Draw the map of a role, one row of a head, and what silencing costs on request.

    Args:
        opened: The run and the sentence.
        row: Of the controls.
    """
    with row:
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
        with_cost = opened.run.model.config.is_decoder_only and head_text.ask_cost(opened)
    head = _chosen(found, role)
    cost = Recipe(cost_of_head, opened.path, head, source) if with_cost else None
    left, right = st.columns([9, 11], gap="medium")
    with left:
        picture = components.show(
            _map(found, role, head), key=MAP, on_pick=partial(_take, found, role)
        )
    with right:
        one = Recipe(text_row, opened.path, source, role, head).result()
        strip = _draw_row(opened, one, role)
        named_heads.link_to_map(opened, head)
        st.caption(_on_what(found))
        if cost is not None:
            st.markdown(head_text.silenced(opened.run, cost.result()))
    text = view_text("heads", "roles").sections
    return Shown(
        name=f"roles_in_text_{role}",
        title=_("Which heads look at {what}").format(what=_(MEANINGS[role])),
        recipe=Recipe(TextReport, roles, cost),
        code=(target_keys, ask, cost_of_head),
        seen=_seen(found, role, head),
        pictures=[picture, strip],
        about={"head": notes.site_and_head(head)},
        formula=text["Formula of a text"].strip("$\n"),
        how_to_read=text["How to read a text"],
    )


def _ask(run: Run, found: TextRoles) -> Role:
    """Ask for a role; a decoder opens on induction, which an encoder has no use for."""
    wanted = Role.INDUCTION if "decoder" in run.model.config.stacks else Role.PREVIOUS
    offered = {role: _(role_names.NAMES[role]) for role in MEANINGS if role in found.scores}
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
        return n_("In {n} line of your own.", "In {n} lines of your own.", n)
    return n_(
        "{n} sequence of {half} random tokens, each read twice; seed {seed}.",
        "{n} sequences of {half} random tokens, each read twice; seed {seed}.",
        found.n_texts,
    ).format(half=number(found.half), seed=SEED)


def _seen(found: TextRoles, role: Role, head: Head) -> str:
    """Say how much of its weight a head gives to a role, beside an even row."""
    score = found.scores[role][head]
    n_clear = sum(each.value >= 0.5 for each in found.scores[role].values())
    said = _("**{head}** gives **{share}** of its weight to {what} (an even row: {even}). {clear}")
    clear = n_(
        "{n} of {of} heads gives half of its weight or more there.",
        "{n} of {of} heads give half of their weight or more there.",
        n_clear,
    ).format(of=number(len(found.scores[role])))
    return said.format(
        head=notes.site_and_head(head),
        share=percent(score.value),
        what=_(MEANINGS[role]),
        even=percent(score.baseline),
        clear=clear,
    )
