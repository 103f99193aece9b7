"""One head in numbers: step by step from what it is given to what it adds."""

from collections.abc import Mapping
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.inspection import even_weights
from core.model.attention import attend_probed
from core.studies.heads.largest_weights import largest_weight
from core.studies.heads.stages import Stage, Terms, cell_at, cell_of, pair_of, stage_numbers
from core.studies.heads.steps import HeadSteps, head_steps
from pages.frame import clicks, components, controls, notes, selection, session
from pages.frame.language import _, joined, number, plain
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, Selection
from pages.frame.session import positions
from pages.frame.view import Shown
from pages.views.attention import seen, stages, terms

STEPS = "steps"
MANY = 10**6
"""More than a stage has of panels, rows or columns: which there are, `cell_of` knows."""
MAIN = (Stage.PRODUCTS, Stage.SOFTMAX)
"""The stages of a brief view, each with its result alone."""


def draw(opened: Opened) -> Shown:
    """Ask for a head and draw one stage of it, and how one of its numbers came about."""
    brief = session.is_brief()
    in_a_row = partial(st.container, horizontal=True, vertical_alignment="center")
    with selection.row():
        # On a phone the row scrolls: what a stop asks for comes first.
        asked = in_a_row(width="content") if brief else None
        selected = selection.choose(opened, unit=False)
        if not brief:
            selection.link_to_selected_head(selected)
    selection.tell_head(selected)
    return _draw(selected, asked or in_a_row(), brief=brief)


def _take_cell() -> None:
    """Choose the cell that was clicked: matrix, row and column."""
    if pick := clicks.picked(STEPS):
        cell = ",".join(str(pick[part]) for part in ("panel", "row", "column"))
        session.choose({session.CELL: cell})


def _draw(selected: Selection, row: DeltaGenerator, *, brief: bool) -> Shown:
    opened = selected.opened
    recording = Recipe(head_steps, opened.writer, opened.sentence, selected.head, opened.inspecting)
    steps = recording.result()
    stage, cell = _ask(selected, steps, row, brief=brief)
    # A brief view explains no number before somebody asks for one.
    framed = not brief or _clicked(steps, stage) is not None
    recipe = Recipe(stage_numbers, recording, stage, *cell)
    found = recipe.result().terms
    at = number(1 + list(steps.formulas).index(stage))
    at = _("Step {n} of {all}.").format(n=at, all=number(len(steps.formulas)))
    st.markdown(joined(["" if brief else at, stages.explained(steps, stage)]))
    result, one_number = st.columns([3, 2])
    with result:
        matrices = stages.stage_matrices(
            selected, steps, stage, cell if framed else None, result_only=brief
        )
        pictures = [components.show(matrices, key=STEPS, on_pick=_take_cell)]
    with one_number:
        if not brief:
            st.markdown(f"${steps.formulas[stage]}$")
        if framed:
            opened.show_image((selected.kind.query_side, pair_of(steps, stage, *cell)[0]))
            pictures.append(terms.draw(selected, steps, stage, cell, found))
    if not brief and stage in (Stage.SOFTMAX, Stage.MIX):
        st.caption(terms.look_up(steps, cell[0]))
    where = notes.site_and_head(selected.head)
    return Shown(
        name=f"{selected.head.site}.{selected.head.index}.{stage}",
        title=_("{where}: {stage}").format(where=where, stage=stages.label(stage)),
        recipe=recipe,
        seen=_seen(selected, steps, stage, cell, found),
        about={"head": where},
        code=[attend_probed],
        pictures=pictures,
        formula=steps.formulas[stage],
    )


def _seen(
    selected: Selection, steps: HeadSteps, stage: Stage, cell: tuple[int, int], found: Terms
) -> str:
    """Say how the number came about; of a weight, first where its query looks most."""
    if stage is Stage.SOFTMAX:
        keys = selected.inspection.tokens_of(selected.head.kind.key_side)
        largest = largest_weight(steps.weights_QK, even_weights(steps.visible_QK), cell[0])
        return joined(
            [
                seen.of_row(selected, largest),
                terms.divided(steps, cell, plain(keys[cell[1]].text)),
                terms.scores(steps, found),
            ]
        )
    if stage is Stage.MIX:
        return terms.weighted_values(steps, cell, found)
    names = terms.names_of(selected, steps, stage, cell, found)
    return _("{equation}.").format(equation=terms.equation(found, names))


def _ask(
    selected: Selection, steps: HeadSteps, row: DeltaGenerator, *, brief: bool
) -> tuple[Stage, tuple[int, int]]:
    """Ask for a stage; return it with the cell of its result that is looked at."""
    offered = {stage: stages.label(stage) for stage in steps.formulas if stage in MAIN or not brief}
    order = list(offered)
    how: controls.How[Stage] = {"older": {text: each for each, text in stages.FORMULAS.items()}}
    stage = controls.chosen(session.STAGE, offered, Stage.SOFTMAX, how)
    at = order.index(stage)
    cell = _clicked(steps, stage)
    chosen = cell or cell_at(steps, stage, *_telling_pair(selected, steps))
    going = {} if cell is None else _same_pair(steps, stage, chosen)
    with row:
        if not brief:
            back = order[at - 1] if at else None
            _button("back", _("Previous step"), "chevron_left", back, going)
        how["then"] = partial(_keep_pair, going)
        controls.choice(_("Step"), session.STAGE, offered, Stage.SOFTMAX, **how)
        if brief:
            label = _("All {n} steps").format(n=number(len(steps.formulas)))
            st.button(
                label, key="all_steps", on_click=session.choose, args=({session.BRIEF: None},)
            )
        else:
            _button("next", _("Next step"), "chevron_right", (*order, None)[at + 1], going)
    return stage, chosen


def _telling_pair(selected: Selection, steps: HeadSteps) -> tuple[int, int]:
    """Return the query to speak of, and the key at which it looks most."""
    query = seen.query_of(selected, steps.weights_QK)
    return query, int(steps.weights_QK[query].argmax())


def _button(
    key: str, label: str, icon: str, stage: Stage | None, going: Mapping[Stage, str]
) -> None:
    """Draw the button to a stage; None where there is none."""
    st.button(
        label,
        key=f"steps_{key}",
        icon=f":material/{icon}:",
        disabled=stage is None,
        on_click=_go,
        args=(stage, going),
    )


def _go(stage: Stage, going: Mapping[Stage, str]) -> None:
    session.choose({session.STAGE: stage})
    _keep_pair(going)


def _keep_pair(going: Mapping[Stage, str]) -> None:
    """Look at the same query and key in the stage that was just chosen."""
    if going:
        session.choose({session.CELL: going[Stage(session.text_of(session.STAGE) or "")]})


def _clicked(steps: HeadSteps, stage: Stage) -> tuple[int, int] | None:
    """Return the cell that was clicked, or None where none was or the stage has none such."""
    match positions(session.linked(session.CELL), MANY, MANY, MANY):
        case (panel, row, column):
            return cell_of(steps, stage, panel, row, column)
    return None


def _same_pair(steps: HeadSteps, stage: Stage, cell: tuple[int, int]) -> dict[Stage, str]:
    """Return stage → the cell that the URL names when somebody goes there."""
    query, key = pair_of(steps, stage, *cell)
    found: dict[Stage, str] = {}
    for other in steps.formulas:
        row, column = cell_at(steps, other, query, key)
        found[other] = f"0,{row},{column}"
    return found
