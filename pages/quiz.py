"""Ten questions before the tour and after it: what a visitor has understood in between.

They are `pages/texts/<language>/quiz.toml`. The answers stand in the address alone, a figure for
each question: nobody else learns of them.
"""

from collections.abc import Iterator, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.frame import session, tour
from pages.frame.export import as_csv
from pages.frame.language import _, in_this_language, number
from pages.frame.tour import AFTER, BEFORE
from pages.views.tour.questions import OPEN, Question, paired, questions, results

ROUND = "round"
"""In the URL: "after" where the questions are asked for the second time."""

COLUMNS = (8, 9, 10)
"""Relative widths: all questions and the button below stand on the first screen."""


def render() -> None:
    """Ask before the tour, and after it; then compare."""
    asked = questions()
    before, after = session.linked(BEFORE) or "", session.linked(AFTER)
    again = session.linked(ROUND) == "after"
    heading = _("Ten questions on the Transformer")
    st.markdown(f"**{heading}**")
    if after:
        _compare(asked, before, after)
    elif again:
        text = _("The same ten after the tour. Then you see both scores and the right answers.")
        if not before:
            text = _("What do you know now? Answer, then you see your score and the right answers.")
        _ask(asked, AFTER, text)
    elif before:
        _wait(len(asked) - before.count(OPEN), len(asked))
    else:
        text = _(
            "Answer these before the tour and again after it; then you see both scores and the "
            "right answers. You may guess; your answers stand in this page’s address alone."
        )
        _ask(asked, BEFORE, text)


def _ask(asked: Sequence[Question], name: str, text: str) -> None:
    st.markdown(text)
    answered = 0
    for column, at, each in _placed(asked):
        with column:
            chosen = st.radio(
                f"**{number(at + 1)}. {each.question}**",
                range(len(each.options)),
                index=None,
                format_func=each.options.__getitem__,
                key=f"{name}_{at}",
            )
        answered += chosen is not None
    done = _("Done ({n} of {all} answered)")
    st.button(
        done.format(n=number(answered), all=number(len(asked))),
        type="primary",
        key=f"{name}_done",
        on_click=_take,
        args=(name, len(asked)),
    )


def _take(name: str, n: int) -> None:
    """Write the answers of a round into the address."""
    held = [session.component_value(f"{name}_{at}") for at in range(n)]
    session.choose({name: "".join(OPEN if each is None else str(each) for each in held)})


def _wait(answered: int, n: int) -> None:
    """Lead to the tour between the two rounds."""
    text = _(
        "{n} of {all} are answered. After the tour the same ten come again; then you see both "
        "scores and the right answers."
    )
    if answered == n:
        text = _(
            "All {all} are answered. After the tour the same come again; then you see both scores "
            "and the right answers."
        )
    st.markdown(text.format(n=number(answered), all=number(n)))
    with st.container(horizontal=True):
        if st.button(_("Take the tour"), key="quiz_tour", type="primary", icon=":material/tour:"):
            tour.go(tour.own_tour(), 0)
        st.button(
            _("Answer again"), key="quiz_again", on_click=session.choose, args=({ROUND: "after"},)
        )


def _compare(asked: Sequence[Question], before: str, after: str) -> None:
    """Show both scores side by side, what is right, and why."""
    rounds = {_("before the tour"): before, _("after the tour"): after}
    with st.container(horizontal=True, gap="large"):
        for label, answers in rounds.items():
            score = sum(each.is_right(figure) for each, figure in paired(asked, answers))
            text = _("{n} of {all}").format(n=number(score), all=number(len(asked)))
            st.metric(label, text if answers else "–", width="content")
    for column, at, each in _placed(asked):
        with column:
            st.markdown(f"**{number(at + 1)}. {each.question}**")
            lines = [_answered(each, name, text[at : at + 1]) for name, text in rounds.items()]
            right = _("right: {answer}").format(answer=each.options[each.right])
            lines += [f"**{right}**", each.why]
            st.markdown("  \n".join(f":small[{line}]" for line in lines))
    with st.container(horizontal=True):
        st.download_button(
            "CSV",
            data=in_this_language(lambda: as_csv(results(asked, before, after))),
            file_name="quiz.csv",
            mime="text/csv",
            on_click="ignore",
            icon=":material/download:",
            help=_("The answers and whether they are right, without a name"),
        )
        forget = {BEFORE: None, AFTER: None, ROUND: None}
        st.button(_("Start again"), key="quiz_forget", on_click=session.choose, args=(forget,))


def _answered(question: Question, label: str, figure: str) -> str:
    answer = question.answer(figure)
    mark = "✓" if question.is_right(figure) else "✗"
    return f"{label}: {mark} {answer}" if answer else f"{label}: –"


def _placed(asked: Sequence[Question]) -> Iterator[tuple[DeltaGenerator, int, Question]]:
    """Yield each question with its column and its place, as many of them in each column."""
    columns = st.columns(COLUMNS, gap="medium")
    for at, each in enumerate(asked):
        yield columns[(len(COLUMNS) * (at + 1) - 1) // len(asked)], at, each


if __name__ == "__main__":
    from app import main

    main()
