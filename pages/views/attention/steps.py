"""One head in numbers: step by step from what it is given to what it adds."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import streamlit as st

from core.model.attention import attend_probed
from core.studies.heads.cells import cell_at, cell_of, pair_of
from core.studies.heads.stages import Stage, bias, panels
from core.studies.heads.steps import HeadSteps, head_steps
from core.studies.heads.terms import terms as terms_of
from pages.frame import (
    address,
    cached,
    clicks,
    components,
    controls,
    notes,
    selection,
    session,
    snippets,
)
from pages.frame.language import N_, _
from pages.frame.opening import Opened
from pages.frame.positions import positions
from pages.frame.selection import Selection, key_tokens, query_tokens
from pages.frame.view import Column, Shown
from pages.views.attention import seen, stage_seen, stages, terms

STEPS = "steps"
MANY = 10**6
"""More than a stage has of panels, rows or columns: which there are, `cell_of` knows."""
_IMPORTS = (
    "from core.studies.heads.stages import Stage, matrices",
    "from core.studies.heads.steps import head_steps",
    "from core.studies.heads.terms import terms",
    "from core.heads import Head",
)


def draw(opened: Opened) -> Callable[[], Shown]:
    """Ask for a head and draw one stage of it, and how one of its numbers came about."""
    return partial(_draw, selection.ask(opened, unit=False))


def _draw(selected: Selection) -> Shown:
    opened = selected.opened
    asked = opened.sentence, selected.head, opened.inspection.translation
    steps = cached.of_run(head_steps, opened.path, *asked)
    stage, cell = _ask(selected, steps)
    found = terms_of(steps, stage, *cell)
    names = terms.names_of(selected, steps, stage, cell, found)
    result, number = st.columns([3, 2])
    with result:
        st.markdown(stages.explained(steps, stage))
        matrices = components.matrices(
            stages.stage_matrices(selected, steps, stage, cell),
            key=STEPS,
            on_pick=partial(clicks.take_cell, STEPS),
        )
    with number:
        st.markdown(f"${steps.formulas[stage]}$")
        st.markdown(terms.equation(found, names))
        drawn = terms.draw(selected, steps, stage, cell, found)
    where = notes.site_and_head(selected.head)
    return Shown(
        name=f"{selected.site}.{selected.head.index}.{stage}",
        title=_("{where}: {stage}").format(where=where, stage=stages.label(stage)),
        numbers=lambda: _numbers(selected, steps, stage, cell),
        python=_python(selected, stage, cell),
        seen=stage_seen.of_stage(selected, steps, stage, cell, found),
        instead=_instead(selected, steps, stage, cell),
        about={
            "head": where,
            "happens": stages.explained(steps, stage).replace("**", ""),
            "number": terms.written(found, names),
        },
        code=[attend_probed, head_steps, terms_of],
        pictures=[matrices, drawn],
        how_to_read=_(_HOW_TO_READ),
        formula=steps.formulas[stage],
    )


def _instead(selected: Selection, steps: HeadSteps, stage: Stage, cell: tuple[int, int]) -> str:
    """Return an example with something to see, where the weights of the row say nothing."""
    query, _key = pair_of(steps, stage, *cell)
    return seen.instead(selected, steps.weights_QK, query) if stage is Stage.SOFTMAX else ""


def _ask(selected: Selection, steps: HeadSteps) -> tuple[Stage, tuple[int, int]]:
    """Ask for a stage; return it with the cell of its result that is looked at."""
    offered = {stage: stages.label(stage) for stage in steps.formulas}
    order = list(offered)
    how: controls.How[Stage] = {"older": {text: each for each, text in stages.FORMULAS.items()}}
    stage = controls.chosen(session.STAGE, offered, Stage.SOFTMAX, how)
    at = order.index(stage)
    cell = _clicked(steps, stage)
    chosen = cell or cell_at(steps, stage, *_telling_pair(selected, steps))
    going = {} if cell is None else _same_pair(steps, stage, chosen)
    with st.container(horizontal=True, vertical_alignment="center"):
        _button("back", _("Previous step"), "chevron_left", order[at - 1] if at else None, going)
        how["then"] = partial(_keep_pair, going)
        controls.choice(_("Step"), session.STAGE, offered, Stage.SOFTMAX, **how)
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
    address.choose({session.STAGE: stage})
    _keep_pair(going)


def _keep_pair(going: Mapping[Stage, str]) -> None:
    """Look at the same query and key in the stage that was just chosen."""
    if going:
        address.choose({session.CELL: going[Stage(address.text_of(session.STAGE) or "")]})


def _clicked(steps: HeadSteps, stage: Stage) -> tuple[int, int] | None:
    """Return the cell that was clicked, or None where none was or the stage has none such."""
    match positions(address.linked(session.CELL), MANY, MANY, MANY):
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


def _numbers(
    selected: Selection, steps: HeadSteps, stage: Stage, cell: tuple[int, int]
) -> Mapping[str, Column]:
    """Return one row for each number: of every matrix, the result first, and of a cell's terms.

    Where a row or a column is a token and not a dimension, its text stands beside its number.

    Args:
        selected: Whose tokens they are.
        steps: Of the head.
        stage: One of them.
        cell: Row and column of the result whose terms are written.
    """
    shown = [*panels(steps, stage), *filter(None, [bias(steps, stage)])]
    found: dict[str, list[object]] = {}
    for panel in shown:
        of_panel = _tokens(selected, panel.rows), _tokens(selected, panel.columns)
        _add(found, panel.name, panel.values, of_panel)
    made = terms_of(steps, stage, *cell)
    # What is in files is called the same in every language.
    names = (*made.names[1:], made.rule)
    values = np.stack([made.left_N, made.right_N, made.terms_N])
    tokens = _tokens(selected, made.over)
    columns = [tokens[place] for place in made.places] if tokens else ()
    _add(found, f"terms:{made.names[0]}", values, (names, columns))
    return found


def _python(selected: Selection, stage: Stage, cell: tuple[int, int]) -> str:
    """Return Python that computes the numbers again."""
    opened = selected.opened
    return (
        snippets.loading(opened.path, *_IMPORTS)
        + f"""head = Head.parse("{selected.head}")
steps = head_steps(run, {snippets.quoted(opened.sentence)}, head)
found = terms(steps, Stage.{stage.name}, {cell[0]}, {cell[1]})
numbers = {{
    **matrices(steps, Stage.{stage.name}),
    "terms": [found.left_N, found.right_N, found.terms_N],
}}
"""
    )


def _add(
    found: dict[str, list[object]],
    name: str,
    values: np.ndarray[tuple[int, ...], np.dtype[np.floating]],
    names: tuple[Column, Column],
) -> None:
    rows, columns = np.indices(values.shape).reshape(2, -1).tolist()
    cells: dict[str, Column] = {
        "matrix": [name] * values.size,
        "row": rows,
        "row_token": [names[0][row] for row in rows] if names[0] else [""] * values.size,
        "column": columns,
        "column_token": [names[1][at] for at in columns] if names[1] else [""] * values.size,
        "value": values.reshape(-1).tolist(),
    }
    for column, written in cells.items():
        found.setdefault(column, []).extend(written)


def _tokens(selected: Selection, axis: str) -> Column:
    """Return the texts of an axis of tokens; nothing for dimensions."""
    of = {"query": query_tokens, "key": key_tokens}.get(axis)
    inspection = selected.opened.inspection
    return () if of is None else [token.text for token in of(inspection, selected.kind)]


_HOW_TO_READ = N_(
    """
- The buttons lead through one head step by step, from what it is given to what it adds. What comes
  out of a step goes into the next: *q* and *k* make *q·k*, the weights of *softmax* mix the values
  *v*.
- The **first** matrix is the result: what the step makes. Click one of its cells, and beside it
  stands how that number came about, term by term. A click on what goes in chooses a row or a column
  of it.
- Until you click, the cells are those of the first pronoun, or else of the word that points most,
  and of the key that it looks at most; of vectors they are those of the number that weighs most for
  that pair. When you go on, the pair stays.
- All numbers are those of the model's own pass over the sentence; nothing is rounded but what is
  shown. Weights go from 0 to 1; everything else has its own scale, written below.
- Vectors have no names for their numbers: *dimension 7* means nothing by itself. What means
  something is which vectors point the same way.
"""
)
