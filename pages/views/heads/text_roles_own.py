"""Text of the visitor's own for an opened model, and what silencing heads costs in its lines."""

import streamlit as st

from core.analysis.effects.line_cost import LineCost, costs_on_lines
from core.analysis.heads.repeated_tokens import TextRole
from core.runs.own_text import MOST_LINES, give_text
from core.runs.run import RunError
from core.tasks.pairs import LARGEST
from pages.frame import address, cached, controls
from pages.frame.language import _, n_, number, plain
from pages.frame.messages import explained
from pages.frame.opening import Opened

TEXT, RANDOM, OWN = "roles_text", "random", "own"
"""In the link: on which text the roles are measured."""
_FILE, _TYPED = "own_text_file", "own_text_typed"


def ask_text(opened: Opened) -> bool:
    """Ask which text the heads read, and offer to bring some; True for the visitor's own lines."""
    own = opened.run.settings.has_lines
    if own:
        texts = {RANDOM: _("random tokens, twice"), OWN: _("your lines")}
        own = controls.choice(_("Text"), TEXT, texts, OWN) == OWN
    with st.popover(_("Your own text"), icon=":material/edit_note:"):
        _bring(opened)
    return own


def _bring(opened: Opened) -> None:
    """Ask for text, and keep it beside the model."""
    if len(opened.run.settings.model.stacks) == 2:
        st.markdown(
            _(
                "Give the model pairs of your own, a source and its translation on each line, a "
                "tab between them (or a file: TSV, CSV). Then roles, cards and what silencing "
                "costs are measured on them."
            )
        )
        placeholder = _("The house is red.; La maison est rouge.")
    else:
        told = _(
            "Give the model lines of your own. Then the roles are measured on them, and what "
            "silencing heads costs there."
        )
        taken = n_(
            "The first {n} different line is taken.",
            "The first {n} different lines are taken.",
            MOST_LINES,
        )
        st.markdown(f"{told} {taken.format(n=number(MOST_LINES))}")
        placeholder = _("The animal did not cross the street because it was too tired.")
    typed = st.text_area(
        _("Text, line by line"), key=_TYPED, persist_state="session", placeholder=placeholder
    )
    file = st.file_uploader(
        _("A file"), type=["tsv", "csv", "txt"], max_upload_size=LARGEST // 2**20, key=_FILE
    )
    content, name = str(typed or "").encode(), _("pasted text")
    if file is not None:
        content, name = file.getvalue(), file.name
    if st.button(_("Measure on it"), type="primary"):
        _take(opened, content, name)


def _take(opened: Opened, content: bytes, name: str) -> None:
    try:
        n = give_text(opened.path, content, name)
    except (RunError, OSError) as error:
        st.error(plain(explained(error)))
        return
    st.toast(
        n_("{n} line is kept with the model.", "{n} lines are kept with the model.", n).format(
            n=number(n)
        )
    )
    address.choose({TEXT: None})
    st.rerun()


def say_line_costs(opened: Opened, role: TextRole) -> dict[int, LineCost]:
    """Say what silencing the heads with most of a role costs a decoder in the lines."""
    with st.spinner(_("Silencing heads …")):
        costs = cached.of_run(costs_on_lines, opened.path, role)
    for n, cost in costs.items():
        st.markdown(
            n_(
                "Without the head that does this most, −log p of the next token goes from {before} "
                "to **{after}** nats (change {low} to {high}, {lines}); without another head of "
                "its layer to {other}.",
                "Without the {n} heads that do this most, −log p of the next token goes from "
                "{before} to **{after}** nats (change {low} to {high}, {lines}); without as many "
                "others of the same layers to {other}.",
                n,
            ).format(
                n=number(n),
                before=number(cost.silenced.before, 3),
                after=number(cost.silenced.after, 3),
                low=number(cost.silenced.low, 3),
                high=number(cost.silenced.high, 3),
                other=number(cost.control.after, 3),
                lines=n_("n = {n} line", "n = {n} lines", cost.silenced.n).format(
                    n=number(cost.silenced.n)
                ),
            )
        )
    if costs:
        st.caption(_("Heads are chosen by every other line, and silenced in those between."))
    else:
        st.caption(
            _(
                "Only a decoder alone goes on with a text of its own, and it needs other heads to "
                "compare with: here nothing can be measured."
            )
        )
    return costs
