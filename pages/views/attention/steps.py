"""One head in numbers: step by step from what it is given to what it adds."""

import re
from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from core.analysis.heads.cells import cell_at, cell_of, pair_of, telling_pair
from core.analysis.heads.stages import Stage
from core.analysis.heads.steps import HeadSteps, head_steps
from core.analysis.heads.terms import terms
from core.model.attention import attend_probed
from pages.frame import address, cached, clicks, controls, notes, session
from pages.frame.components import matrices as show_matrices
from pages.frame.export import Taking
from pages.frame.selection import Looked
from pages.frame.text import _
from pages.views.attention import steps_numbers, steps_terms, steps_words
from pages.views.attention.steps_pictures import stage_matrices
from viz.plane.matrices import component_assets, pack

STEPS = "steps"
_CELL = re.compile(r"([0-9]{1,6}),([0-9]{1,6}),([0-9]{1,6})")


def draw(looked: Looked) -> Taking:
    """Draw one stage of the head, and how one of its numbers came about."""
    opened = looked.opened
    steps = cached.of_run(head_steps, opened.path, opened.sentence, looked.head)
    stage, cell = _ask(steps)
    found = terms(steps, stage, *cell)
    text, formula = st.columns([3, 2], vertical_alignment="center")
    text.markdown(steps_words.explained(steps, stage))
    with formula:
        st.markdown(f"${steps.formulas[stage]}$")
        st.markdown(steps_words.equation(found))
    shown = stage_matrices(looked, steps, stage, cell)
    show_matrices(shown, key=STEPS, on_pick=lambda: clicks.take_cell(STEPS))
    steps_terms.draw(looked, steps, stage, cell, found)
    where = notes.site_and_head(looked.head)
    return Taking(
        name=f"{looked.site}.{looked.head.index}.{stage.name.lower()}",
        title=_("{where}: {stage}").format(where=where, stage=stage.value),
        numbers=lambda: steps_numbers.numbers(looked, steps, stage, cell),
        lines=steps_numbers.lines(looked, stage, cell),
        about={
            "head": where,
            "happens": steps_words.explained(steps, stage).replace("**", ""),
            "number": steps_words.written(found),
        },
        code=[attend_probed, head_steps, terms],
        component=(component_assets(), lambda: pack(shown)),
        how_to_read=steps_words.HOW_TO_READ,
        formula=steps.formulas[stage],
    )


def _ask(steps: HeadSteps) -> tuple[Stage, tuple[int, int]]:
    """Ask for a stage; return it with the cell of its result that is looked at."""
    names = [stage.value for stage in steps.formulas]
    found = address.text_of(session.STAGE)
    stage = Stage(found if found in names else names[0])
    cell = _clicked(steps, stage)
    chosen = cell or cell_at(steps, stage, *telling_pair(steps))
    going = {} if cell is None else _same_pair(steps, stage, chosen)
    with st.container(horizontal=True, vertical_alignment="center"):
        _button("back", _("Back"), "chevron_left", names, names.index(stage) - 1, going)
        controls.choice(
            _("Step"),
            session.STAGE,
            controls.words(names),
            names[0],
            then=partial(_keep_pair, going),
        )
        _button("next", _("Next"), "chevron_right", names, names.index(stage) + 1, going)
    return stage, chosen


def _button(
    key: str, label: str, icon: str, names: Sequence[str], index: int, going: Mapping[str, str]
) -> None:
    """Draw the button to the stage of an index."""
    exists = 0 <= index < len(names)
    name = names[index] if exists else ""
    st.button(
        label,
        key=f"steps_{key}",
        icon=f":material/{icon}:",
        disabled=not exists,
        on_click=_go,
        args=(name, going),
    )


def _go(name: str, going: Mapping[str, str]) -> None:
    address.choose({session.STAGE: name})
    _keep_pair(going)


def _keep_pair(going: Mapping[str, str]) -> None:
    """Look at the same query and key in the stage that was just chosen."""
    if going:
        address.choose({session.CELL: going.get(address.text_of(session.STAGE) or "")})


def _clicked(steps: HeadSteps, stage: Stage) -> tuple[int, int] | None:
    """Return the cell that was clicked, or None where none was or the stage has none such."""
    found = _CELL.fullmatch(address.linked(session.CELL) or "")
    return cell_of(steps, stage, *map(int, found.groups())) if found else None


def _same_pair(steps: HeadSteps, stage: Stage, cell: tuple[int, int]) -> dict[str, str]:
    """Return stage → the cell that the URL names when somebody goes there."""
    query, key = pair_of(steps, stage, *cell)
    found = {}
    for other in steps.formulas:
        row, column = cell_at(steps, other, query, key)
        found[other.value] = f"0,{row},{column}"
    return found
