"""Copy what one head gives to one other head from one sentence into another: path patching."""

from collections.abc import Iterable
from contextlib import suppress

import numpy as np
import streamlit as st

from core.heads import Head, Kind, Side
from core.inspection import Inspection
from core.studies.effects.patching import patching_study
from core.studies.effects.path_patching import (
    NextToken,
    PathPatching,
    PathStudy,
    Read,
    heads_in_order,
    is_direct,
    one_path,
    path_study,
    usual_receiver,
)
from core.studies.effects.second_sentence import PatchingError
from pages.frame import cached, charts, clicks, controls, notes, selection, session
from pages.frame.components import matrices
from pages.frame.language import _, capitalised, ended, joined, number, percent, plain
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.heads import named_heads
from viz.charts.curves import Chart, Quantity
from viz.charts.intervals import Measured, intervals
from viz.plane.matrices import Matrices, Matrix, numbered

PATH, READER, SENDERS = "path", "path_reader", "path_senders"
"""In the URL: "encoder.0.self:1,encoder.2.self:0", and who reads; the map's key."""
_NOTICED = 0.01
"""A probability that changes by less is not said to change."""
_CLEARLY = 0.1
"""A weight that changes by less is not said to change."""


def draw(opened: Opened, into: str, source: str, second: str) -> Shown | None:
    """Draw what one path does to the output, and all heads that write to its reader.

    Args:
        opened: The run, and the first sentence.
        into: The sentence that is translated.
        source: The one whose outputs are copied.
        second: The other sentence of the page.
    """
    heads = heads_in_order(opened.run.model)
    readers = [each for each in heads if _senders_of(each, heads)]
    if not readers:
        st.info(_("In this model no head reads what another wrote, so there is no path to change."))
        return None
    reader = _ask_reader(opened, into, source, readers)
    session.belongs_to(PATH, f"{opened.path}\n{into}\n{source}")
    sender = _sender(opened, into, source, reader)
    recipe = Recipe(path_study, opened.path, into, source, Read.ALL, reader, sender)
    try:
        study = recipe.result()
    except PatchingError as error:
        st.info(ended(capitalised(plain(explained(error)))))
        return None
    left, right = st.columns([2, 3], gap="medium")
    with left:
        pictures = [charts.chart(_chances(study))]
    with right:
        click = _("**Click a head to choose who sends.** Blue: “{token}” gets less probable.")
        st.caption(click.format(token=plain(study.senders.token.text)))
        pictures.append(
            matrices(_senders(study), key=SENDERS, on_pick=lambda: _take(study, reader))
        )
    with st.container(horizontal=True):
        for head in (study.path.sender, reader):
            named_heads.link_to_map(opened, head)
    inspection = selection.inspecting(opened.path, into).result()
    text = view_text("heads", "patch").sections
    return Shown(
        name="paths",
        title=_("Which head reads what another head wrote"),
        recipe=recipe,
        seen=joined([_verdict(study), _look(study, inspection)]),
        code=(PathPatching, one_path),
        pictures=pictures,
        about={"second_sentence": second},
        formula=text["Formula of one path"].strip("$\n"),
    )


def _sender(opened: Opened, into: str, source: str, reader: Head) -> Head | None:
    """Return the sender that the URL names, or else the one that carries most as a whole head."""
    senders = _senders_of(reader, heads_in_order(opened.run.model))
    named = {f"{each},{reader}": each for each in senders}
    if found := named.get(session.linked(PATH) or ""):
        return found
    with suppress(PatchingError):
        study = Recipe(patching_study, opened.path, source, into).result()
        return max(senders, key=study.heads.__getitem__)
    return None


def _senders_of(reader: Head, heads: Iterable[Head]) -> list[Head]:
    return [each for each in heads if is_direct(each, reader, Read.ALL)]


def _ask_reader(opened: Opened, into: str, source: str, readers: list[Head]) -> Head:
    """Ask which head reads."""
    named = {str(each): notes.within_sentence(each) for each in readers}
    linked = (session.linked(PATH) or "").rpartition(",")[2]
    asked = into, source, Read.ALL
    usual = linked if linked in named else cached.call(usual_receiver, opened.path, *asked)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(_("head that reads"), width="content")
        label = _("Head that reads")
        chosen = controls.selection(label, READER, named, str(usual), width=320, labelled=False)
    return Head.parse(chosen)


def _take(study: PathStudy, reader: Head) -> None:
    """Take over the head whose cell was clicked, where it writes to the reader."""
    if pick := clicks.picked(SENDERS):
        kind = list(_kinds(study))[pick["panel"]]
        sender = Head(kind.site(pick["row"]), pick["column"])
        if sender in study.senders.senders:
            session.choose({PATH: f"{sender},{reader}"})


def _kinds(study: PathStudy) -> dict[Kind, int]:
    """Return the kinds of attention of the senders, with the number of their layers."""
    found: dict[Kind, int] = {}
    for head in study.senders.senders:
        found[head.kind] = max(found.get(head.kind, 0), head.layer + 1)
    return found


def _senders(study: PathStudy) -> Matrices:
    """Return layers × heads of each kind: by how much a path from there changes log p."""
    senders, sender, kinds = study.senders, study.path.sender, _kinds(study)
    change = dict(zip(senders.senders, senders.log_p_change_N.tolist(), strict=True))
    n_heads = 1 + max(head.index for head in change)
    panels = []
    for kind, n_layers in kinds.items():
        heads = [kind.site(layer).heads(n_heads) for layer in range(n_layers)]
        values = [[change.get(head, 0.0) for head in row] for row in heads]
        panels.append(
            Matrix(
                title=_("Sent by {kind}").format(kind=_(kind.label)),
                values=np.array(values, np.float32),
                visible=np.array([[head in change for head in row] for row in heads]),
                # At less than 1, changes that nobody would notice had full colours.
                limit=max(1.0, float(np.abs(senders.log_p_change_N).max())),
                rows=numbered(_("layer"), n_layers),
                columns=numbered(_("head"), n_heads),
                scale="signed",
                texts=[[number(value, 2) for value in row] for row in values],
                value_name=_("change of log p(“{token}”), nats").format(token=senders.token.text),
            )
        )
    at = list(kinds).index(sender.kind)
    return Matrices(
        panels=panels,
        selected=(at, sender.layer, sender.index),
        texts={
            "cell": _("layer {row}, head {column}: {value}"),
            "help.pick": _("Arrow keys move from head to head, Enter chooses one."),
        },
    )


def _chances(study: PathStudy) -> Chart:
    """Return how probable the word written is, row by row the more is copied."""
    outcomes = study.outcomes
    rows = {
        _("as it is"): outcomes.clean,
        _("only the reader gets it"): outcomes.path,
        _("all later heads get it"): outcomes.exchanged,
        _("the whole other sentence"): outcomes.other,
    }
    return intervals(
        [
            Measured(name, each.chance, float("-inf"), float("inf"), note=_instead(each))
            for name, each in rows.items()
        ],
        value=Quantity(_("probability"), share=True, domain=(0.0, 1.0)),
        of_each="",
        write=percent,
        title=_("How probable “{token}” is").format(token=study.senders.token.text),
    )


def _instead(outcome: NextToken) -> str:
    return "" if outcome.stays else _("writes “{token}”").format(token=outcome.chosen.text)


def _verdict(study: PathStudy) -> str:
    """Say whether the output changes through the one path, or through all readers of the head."""
    path, exchanged = study.outcomes.path, study.outcomes.exchanged
    parts = {
        "sender": notes.within_sentence(study.path.sender),
        "reader": notes.within_sentence(study.path.receiver),
        "token": plain(study.senders.token.text),
        "chosen": plain(path.chosen.text),
        "share": percent(path.chance),
        "all": plain(exchanged.chosen.text),
    }
    text = _(
        "What **{sender}** gives to **{reader}** alone is enough: copied from the other sentence, "
        "it turns **{token}** into **{chosen}**."
    )
    if path.stays:
        text = _(
            "If only **{reader}** gets what **{sender}** gives in the other sentence, **{token}** "
            "stays ({share})."
        )
        if abs(path.chance - study.outcomes.clean.chance) < _NOTICED:
            text = _(
                "This path alone changes **nothing**: if only **{reader}** gets what **{sender}** "
                "gives in the other sentence, **{token}** stays ({share})."
            )
        if not exchanged.stays:
            text = joined([text, _("If all later heads get it, it becomes **{all}**.")])
    return text.format(**parts)


def _look(study: PathStudy, inspection: Inspection) -> str:
    """Say which look of the reader the path changes, where it changes one clearly."""
    found = study.path
    before, after = (
        float(weights_QK[found.query, found.key])
        for weights_QK in (found.before_QK, found.after_QK)
    )
    if abs(after - before) < _CLEARLY:
        return ""
    query, key = (
        _tokens(study, inspection, side)[at]
        for side, at in zip(found.receiver.kind.sides, (found.query, found.key), strict=True)
    )
    text = _("The reader then looks from “{query}” at “{key}” with {after} instead of {before}.")
    return text.format(
        query=plain(query), key=plain(key), before=number(before, 2), after=number(after, 2)
    )


def _tokens(study: PathStudy, inspection: Inspection, side: Side) -> list[str]:
    """Return what the model is given on one side, up to the measured step."""
    tokens = [token.text for token in inspection.tokens_of(side)]
    n_fed = study.senders.clean.n_given + 1 + study.senders.step
    return tokens[:n_fed] if side == "target" else tokens
