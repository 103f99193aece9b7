"""Exchange what one head says to one other head between two sentences: path patching."""

import numpy as np
import streamlit as st

from core.heads import Head, Kind, Side
from core.inspection import Inspection
from core.studies.effects.path_patching import (
    NextToken,
    PathOutcomes,
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
from core.tokenizer.words import written_words
from pages.frame import cached, charts, clicks, controls, session
from pages.frame.components import matrices
from pages.frame.language import N_, _, brief, capitalised, ended, joined, number, percent, plain
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.heads import cells, named_heads
from viz.charts.curves import Chart, Quantity
from viz.charts.intervals import Measured, intervals
from viz.plane.matrices import Matrices, Matrix, numbered

PATH, READER, READS, SENDERS = "path", "path_reader", "path_reads", "path_senders"
"""In the URL: "encoder.0.self:1,encoder.2.self:0", who reads, what is read; the map's key."""
_SHORT = {
    Kind.ENCODER_SELF: N_("encoder {layer}.{head}"),
    Kind.DECODER_SELF: N_("decoder {layer}.{head}"),
    Kind.CROSS: N_("cross {layer}.{head}"),
}
_MARKS = ".,;:!?"
_CLEARLY = 0.1
"""A weight that changes by less is not said to change."""


def draw(opened: Opened, second: str) -> Shown | None:
    """Draw what one path does to the output, and all heads that write to its reader."""
    with st.container(horizontal=True, vertical_alignment="center"):
        read = _ask_read()
        reader = _ask_reader(opened, second, read)
    if reader is None:
        st.info(_("In this model no head reads what another wrote, so there is no path to change."))
        return None
    cells.keep_only_of((opened.path, opened.sentence, second), PATH)
    sender = _linked_sender(opened, reader, read)
    asked = opened.sentence, second, read, reader, sender
    recipe = Recipe(path_study, opened.path, *asked)
    try:
        study = recipe.result()
    except PatchingError as error:
        st.info(ended(capitalised(plain(explained(error)))))
        return None
    left, right = st.columns([2, 3], gap="medium")
    with left:
        pictures = [charts.chart(_chances(study))]
    with right:
        pictures.append(
            matrices(_senders(study), key=SENDERS, on_pick=lambda: _take(study, reader))
        )
    with st.container(horizontal=True):
        for head in (study.path.sender, reader):
            named_heads.link_to_map(opened, head)
    st.caption(_measured(study))
    return Shown(
        name=f"paths_{read}",
        title=_("Which head reads what another head wrote"),
        recipe=recipe,
        seen=_seen(study, opened.inspection, read),
        code=(path_study, PathPatching, one_path),
        pictures=pictures,
        about={"second_sentence": second},
        formula=view_text("heads", "patch").sections["Formula of one path"].strip("$\n"),
    )


def _ask_read() -> Read:
    """Ask what the reader computes from the exchanged message."""
    reads = {Read.ALL: _("all"), Read.QUERY: _("query"), Read.KEY: _("key"), Read.VALUE: _("value")}
    st.caption(_("B reads it as"), width="content")
    return controls.choice(_("What the reader reads"), READS, reads, Read.ALL)


def _ask_reader(opened: Opened, second: str, read: Read) -> Head | None:
    """Ask which head reads, of those that another writes to; None where there is none."""
    heads = heads_in_order(opened.run.model)
    readers = [each for each in heads if any(is_direct(other, each, read) for other in heads)]
    if not readers:
        return None
    named = {str(each): _short(each) for each in readers}
    linked = (session.linked(PATH) or "").rpartition(",")[2]
    asked = opened.sentence, second, read
    usual = linked if linked in named else cached.call(usual_receiver, opened.path, *asked)
    st.caption(_("B is"), width="content")
    label = _("Head that reads")
    chosen = controls.selection(label, READER, named, str(usual), width=180, labelled=False)
    return Head.parse(chosen)


def _linked_sender(opened: Opened, reader: Head, read: Read) -> Head | None:
    """Return the sender of the path that the URL names; None for the strongest."""
    for head in heads_in_order(opened.run.model):
        if session.linked(PATH) == f"{head},{reader}" and is_direct(head, reader, read):
            return head
    return None


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
    name = _("change of log p(“{token}”), nats").format(token=senders.token.text)
    panels = []
    for kind, n_layers in kinds.items():
        heads = [kind.site(layer).heads(n_heads) for layer in range(n_layers)]
        values = [[change.get(head, 0.0) for head in row] for row in heads]
        panels.append(
            Matrix(
                title=_("From {kind} to B").format(kind=_(kind.label)),
                values=np.array(values, np.float32),
                visible=np.array([[head in change for head in row] for row in heads]),
                limit=max(float(np.abs(senders.log_p_change_N).max()), 1e-6),
                rows=numbered(_("layer"), n_layers),
                columns=numbered(_("head"), n_heads),
                scale="signed",
                texts=[[brief(value) for value in row] for row in values],
                value_name=name,
            )
        )
    at = list(kinds).index(sender.kind)
    return Matrices(panels=panels, selected=(at, sender.layer, sender.index))


def _difference(study: PathStudy) -> tuple[str, str] | None:
    """Return the word that differs, in the first sentence and in the second; None for several."""
    first, second = (
        written_words(each.source) for each in (study.senders.clean, study.senders.other)
    )
    differing = [pair for pair in zip(first, second, strict=False) if pair[0] != pair[1]]
    if len(first) != len(second) or len(differing) != 1:
        return None
    one, other = (word.strip(_MARKS) for word in differing[0])
    return one, other


def _chances(study: PathStudy) -> Chart:
    """Return the chance of what is written, row by row the more is exchanged."""
    one, other = _difference(study) or (_("first"), _("second"))
    outcomes = study.outcomes
    rows = {
        _("as it is (“{said}”)").format(said=one): outcomes.clean,
        _("B alone reads A’s “{said}”").format(said=other): outcomes.path,
        _("all readers get A’s “{said}”").format(said=other): outcomes.exchanged,
        _("whole sentence with “{said}”").format(said=other): outcomes.other,
    }
    return intervals(
        [
            Measured(name, each.chance, float("-inf"), float("inf"), note=_instead(each))
            for name, each in rows.items()
        ],
        value=Quantity(_("chance"), share=True, domain=(0.0, 1.0)),
        of_each="",
        write=percent,
        title=_("How likely the output is “{token}”").format(token=study.senders.token.text),
    )


def _instead(outcome: NextToken) -> str:
    return "" if outcome.stays else _("writes “{token}”").format(token=outcome.chosen.text)


def _seen(study: PathStudy, inspection: Inspection, read: Read) -> str:
    """Say in Markdown what was exchanged, and what that changes."""
    difference = _difference(study)
    if difference is None:
        text = _("B ({reader}) is given what A ({writer}) writes in the second sentence.")
        other = ""
    else:
        text = _("B ({reader}) is given what A ({writer}) writes of “{other}”.")
        other = plain(difference[1])
    ends = {"reader": _short(study.path.receiver), "writer": _short(study.path.sender)}
    exchanged = text.format(**ends, other=other)
    return joined([exchanged, _verdict(study), _look(study, inspection, read)])


def _verdict(study: PathStudy) -> str:
    """Say whether the output changes through the one path, or through all readers of the head."""
    outcomes: PathOutcomes = study.outcomes
    clean, path, exchanged = outcomes.clean, outcomes.path, outcomes.exchanged
    before, after = percent(clean.chance), percent(path.chance)
    said = {
        **{"token": plain(study.senders.token.text), "chosen": plain(path.chosen.text)},
        **{"before": before, "after": after, "all": plain(exchanged.chosen.text)},
    }
    if not path.stays:
        return _("**Through B alone the output changes from “{token}” to “{chosen}”.**").format(
            **said
        )
    alone = _("**Through B alone the output stays “{token}”** ({after}, before {before}).")
    if before == after:
        alone = _("**Through B alone the output stays “{token}”** ({after}, as before).")
    whole = "" if exchanged.stays else _("**Through all readers of A it becomes “{all}”.**")
    return joined([alone.format(**said), whole.format(**said)])


def _look(study: PathStudy, inspection: Inspection, read: Read) -> str:
    """Say which look of the reader the path changes, where it changes one clearly."""
    found = study.path
    before, after = (
        float(weights_QK[found.query, found.key])
        for weights_QK in (found.before_QK, found.after_QK)
    )
    if read == Read.VALUE or abs(after - before) < _CLEARLY:
        return _("B looks where it did.")
    texts = {side: _tokens(study, inspection, side) for side in found.receiver.kind.sides}
    query_side, key_side = found.receiver.kind.sides
    text = _("B looks from “{query}” at “{key}” with **{after}** instead of {before}.")
    return text.format(
        query=plain(texts[query_side][found.query]),
        key=plain(texts[key_side][found.key]),
        before=percent(before),
        after=percent(after),
    )


def _tokens(study: PathStudy, inspection: Inspection, side: Side) -> list[str]:
    """Return what the model is given on one side, up to the measured step."""
    tokens = [token.text for token in inspection.tokens_of(side)]
    n_fed = study.senders.clean.n_given + 1 + study.senders.step
    return tokens[:n_fed] if side == "target" else tokens


def _measured(study: PathStudy) -> str:
    """Say where it was measured, and what is usual among all paths."""
    senders = study.senders
    sizes = np.abs(senders.log_p_change_N[senders.differs_N])
    return _(
        "Baseline: {n} of {all} paths to B begin at a head that writes something else for the "
        "second sentence; in the median they change log p(“{token}”) by {median} nats. Measured at "
        "step {step}, after the same words. One pair of sentences (n = 1): an observation, not a "
        "law."
    ).format(
        n=number(sizes.size),
        all=number(len(senders.senders)),
        token=plain(senders.token.text),
        median=brief(float(np.median(sizes)) if sizes.size else 0.0),
        step=senders.step,
    )


def _short(head: Head) -> str:
    """Return what a head is called where there is little room."""
    return _(_SHORT[head.kind]).format(layer=head.layer, head=head.index)
