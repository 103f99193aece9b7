"""The roles of a model's heads on text of no task: random tokens that repeat, or one's own lines.

Each role is a map of layers × heads, and one row of the chosen head shows what it means.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import streamlit as st

from core.heads import Head, Kind
from core.runs.run import Run
from core.studies.effects.text_cost import TextCosts, control_heads, text_costs
from core.studies.heads.antecedent import antecedent_head
from core.studies.heads.question import Role, Score, ask, wanted_keys
from core.studies.heads.text_roles import RoleRow, TextRoles, text_roles, text_row
from core.studies.heads.texts import SEED, Source
from pages.frame import address, cached, clicks, controls, notes, snippets
from pages.frame.components import matrices
from pages.frame.files import stacked
from pages.frame.language import N_, _, n_, number, percent, plain
from pages.frame.listed import listed_apart
from pages.frame.maps import labels
from pages.frame.messages import explained
from pages.frame.opening import Opened
from pages.frame.view import Shown
from pages.views.heads import named_heads
from pages.views.heads.text_roles_costs import say_costs
from pages.views.heads.text_roles_own import OWN, RANDOM, ask_text, say_line_costs
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
_FORMULA = (
    r"\mathrm{share}_h = \frac{1}{n}\sum_{i} w_{i, r(i)}, \qquad "
    r"r(i): \text{the key that the role wants of row } i, \qquad "
    r"\mathrm{even} = \frac{1}{n}\sum_i \frac{1}{|V_i|}"
)
_HOW_TO_READ = N_(
    """
- The model reads random tokens, each half of them different, and then all of them once more. No
  order of them was ever learned, so that a head finds what it looks at by places and by what is the
  same.
- A cell is a **head**; its colour the mean weight that its rows give to the key with the role. A
  click chooses the head; beside it stands one of its rows.
- An **even row** gives each key that it may see the same weight: that is the baseline. The interval
  is the 95 % one of a mean over the sequences.
- A share says where a head looks. Whether the model needs it, only **silencing** says: the best
  heads are silenced on other sequences than those by which they were found, and as many other heads
  of the same layers in their place.
"""
)
TRIES = (
    N_("Choose “previous token”, then “induction”: an induction head needs one of the former."),
    N_("Measure what silencing costs: is the first half harder without them, too?"),
    N_("“first token”: in many models this is what most heads do."),
)


def draw(opened: Opened) -> Shown | None:
    """Draw the map of a role, one row of a head, and what silencing costs on request."""
    with st.container(horizontal=True, vertical_alignment="center"):
        controls_here = st.container(horizontal=True, vertical_alignment="center")
        source: Source = OWN if ask_text(opened) else RANDOM
    try:
        found = cached.of_run(text_roles, opened.path, source)
    except ValueError as error:
        st.info(plain(explained(error)))
        return None
    with controls_here:
        role = _ask(opened.run, found)
        measured = controls.toggle(_("what silencing costs"), COSTS)
    head = _chosen(found, role)
    left, right = st.columns([9, 11], gap="medium")
    with left:
        picture = matrices(_map(found, role, head), key=MAP, on_pick=partial(_take, found, role))
    with right:
        row = cached.of_run(text_row, opened.path, source, role, head)
        strip = _draw_row(opened, row, role)
        named_heads.link_to_map(opened, head)
        st.caption(_on_what(found))
        costs: TextCosts | None = None
        if measured:
            costs = say_line_costs(opened, role) if source == OWN else say_costs(opened)
    return Shown(
        name=f"text_roles_{role}",
        title=_("Which heads look at {what}").format(what=_(MEANINGS[role])),
        numbers=lambda: stacked(found.table(), costs.table() if costs else {}),
        python=_python(opened, source, costs),
        code=(
            *(text_roles, wanted_keys, ask, text_costs, control_heads),
            *(() if source == OWN else (antecedent_head,)),
        ),
        seen=_seen(found, role, head),
        pictures=[picture, strip],
        about={"head": notes.site_and_head(head)},
        formula=_FORMULA,
        how_to_read=_(_HOW_TO_READ),
        tries=[_(each) for each in TRIES],
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
    return named.get(address.linked(HEAD) or "", found.best(role)[0])


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
        address.choose({HEAD: str(layers[int(pick["row"])][int(pick["column"])])})


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
                said=_("{query} → {key} {weight}").format(
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
    said = _(
        "**{head}** gives **{share}** of its weight to {what} ({interval}; an even row {even}). "
        "{clear}"
    )
    clear = n_(
        "{n} of {of} heads gives half of its weight or more there.",
        "{n} of {of} heads give half of their weight or more there.",
        n_clear,
    ).format(n=number(n_clear), of=number(len(found.scores[role])))
    return said.format(
        head=notes.site_and_head(head),
        share=percent(score.value),
        what=_(MEANINGS[role]),
        interval=_interval(score, percent),
        even=percent(score.baseline),
        clear=clear,
    )


def _python(opened: Opened, source: Source, costs: TextCosts | None) -> str:
    imports = ["from core.studies.heads.text_roles import text_roles"]
    lines = [
        f'found = text_roles(run, "{source}")',
        "values = [each.value for of in found.scores.values() for each in of.values()]",
    ]
    if costs is not None:
        imports.insert(0, "from core.studies.effects.text_cost import text_costs")
        imports.append("from core.studies.heads.question import Role")
        lines += [
            f'costs = text_costs(run, "{source}", Role("{costs.role}"))',
            "values += [cost.silenced.after for cost in costs.of.values()]",
        ]
    lines += ['numbers = {"value": values}', ""]
    return snippets.loading(opened.path, *imports) + "\n".join(lines)
