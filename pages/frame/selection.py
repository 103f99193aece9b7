"""What a visitor has selected: a head of a kind of attention, between tokens or words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from core.decoding.sentence import SentenceError
from core.heads import STACK_LABELS, Head, Kind, Side, Site, Stack
from core.inspection import Inspection, SiteAttention, merged
from core.tokenizer.tokenizer import Token
from pages.frame import cached, card_link, controls, layout, notes, opening, session
from pages.frame.language import _, n_, number
from pages.frame.listed import joined
from pages.frame.maps import labels, labels_of_fed
from pages.frame.opening import Opened
from pages.frame.recipe import Recipe
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """A head of a run, and what all heads do with the sentence."""

    opened: Opened
    inspection: Inspection
    """Between tokens, or merged to words."""
    whole_words: bool
    head: Head

    @property
    def inspecting(self) -> Recipe[Inspection]:
        """What computes the inspection."""
        return _inspecting(self.opened, self.whole_words)

    @property
    def kind(self) -> Kind:
        """The kind of attention."""
        return self.head.kind

    @property
    def layer(self) -> int:
        """The head's."""
        return self.head.layer

    @property
    def sites(self) -> tuple[Site, ...]:
        """The sites of the kind, by layer."""
        return self.inspection.sites_of(self.kind)

    @property
    def site(self) -> Site:
        """The head's."""
        return self.head.site

    @property
    def attention(self) -> SiteAttention:
        """What the heads of the layer look at."""
        return self.inspection.attention[self.site]

    @property
    def weights_QK(self) -> NDArray[np.float32]:
        """What the head looks at."""
        return self.inspection.weights_of(self.head)


def example(selected: Selection, tells: Callable[[Inspection], bool]) -> str:
    """Return the first other example of the task in which there is something to see, if any."""
    opened = selected.opened
    for each in opened.task.examples if opened.task else ():
        if each.source == opened.sentence:
            continue
        try:
            inspection = cached.inspected(opened.path, each.source, selected.whole_words)
        except SentenceError:
            continue
        if tells(inspection):
            return each.source
    return ""


def query_tokens(inspection: Inspection, kind: Kind) -> tuple[Token, ...]:
    """Return the tokens that look: one for each row of a map."""
    return inspection.tokens_of(kind.query_side)


def key_tokens(inspection: Inspection, kind: Kind) -> tuple[Token, ...]:
    """Return the tokens looked at: one for each column of a map."""
    return inspection.tokens_of(kind.key_side)


def query_labels(inspection: Inspection, kind: Kind) -> tuple[TokenLabel, ...]:
    """Return how the rows of a map are labelled."""
    return _labelled(query_tokens(inspection, kind), inspection)


def key_labels(inspection: Inspection, kind: Kind) -> tuple[TokenLabel, ...]:
    """Return how the columns of a map are labelled."""
    return _labelled(key_tokens(inspection, kind), inspection)


def query_axis(inspection: Inspection, kind: Kind) -> Axis:
    """Return what the rows of a map are."""
    return axis_of_queries(kind, query_labels(inspection, kind))


def key_axis(inspection: Inspection, kind: Kind) -> Axis:
    """Return what the columns of a map are."""
    return axis_of_keys(kind, key_labels(inspection, kind))


def axis_of_queries(kind: Kind, labels: Sequence[TokenLabel]) -> Axis:
    """Return what the rows of a map with these labels are."""
    fed = kind.query_side == "target"
    name = _("query: the word fed") if fed else _("query: the word that looks")
    return Axis(name=name, labels=labels, side=kind.query_side)


def axis_of_keys(kind: Kind, labels: Sequence[TokenLabel]) -> Axis:
    """Return what the columns of a map with these labels are."""
    return Axis(name=_("key: the word looked at"), labels=labels, side=kind.key_side)


def token_axis(inspection: Inspection, side: Side) -> Axis:
    """Return what the positions of one side are, where nothing looks at anything."""
    names: dict[Side, str] = {"source": _("source token"), "target": _("word fed")}
    tokens = _labelled(inspection.tokens_of(side), inspection)
    return Axis(name=names[side], labels=tokens, side=side)


def ask(opened: Opened, *, unit: bool = True) -> Selection:
    """Ask which head of which attention, and between what; say why not to believe its map.

    Args:
        opened: The run and the sentence.
        unit: False where everything is between tokens, never merged to words.
    """
    with row():
        selected = choose(opened, unit=unit)
        tell(selected)
    tell_head(selected)
    return selected


def row() -> DeltaGenerator:
    """Return the row of a view's controls."""
    return st.container(horizontal=True, vertical_alignment="center", key=layout.CONTROLS)


def choose(opened: Opened, *, kind: bool = True, head: bool = True, unit: bool = True) -> Selection:
    """Ask as `ask` does, inside of a row in which a view asks for more.

    What a view does not need it does not ask for: that stays as it was chosen in another one.

    Args:
        opened: The run and the sentence.
        kind: False where all kinds of attention are shown.
        head: False where all heads are shown, or one is chosen in the picture.
        unit: False where everything is between tokens, never merged to words.
    """
    inspection = opened.inspection
    chosen = ask_head(opened, kind=kind, head=head)
    whole_words = _ask_whole_words(asked=unit) and unit
    if whole_words:
        inspection = _inspecting(opened, whole_words=True).result()
    return Selection(opened=opened, inspection=inspection, whole_words=whole_words, head=chosen)


def _inspecting(opened: Opened, whole_words: bool) -> Recipe[Inspection]:
    return Recipe(merged, opened.inspecting) if whole_words else opened.inspecting


def tell(selected: Selection, *, head: bool = True) -> None:
    """Say how long the sentence is, and lead to what is known of the head where one is chosen."""
    with st.container(key=layout.SIZE, width="content"):
        st.caption(size(selected.opened.inspection), width="content")
    if head:
        to_card(selected)


def size(inspection: Inspection) -> str:
    """Return how long source and target are, or a prompt and what follows, and how long it took.

    Special tokens count, as they have rows and columns in every map.
    """
    n_source, n_fed = len(inspection.source_tokens), len(inspection.fed_tokens)
    milliseconds = number(1000 * inspection.seconds, 0)
    if not n_fed:
        text = n_("{n} token · {milliseconds} ms", "{n} tokens · {milliseconds} ms", n_source)
        return text.format(n=number(n_source), milliseconds=milliseconds)
    # Of a decoder alone all are a text.
    n_given = inspection.translation.n_given + 1
    lengths = (n_source, n_fed) if n_source else (n_given, n_fed - n_given)
    text = _("{source} → {target} tokens · {milliseconds} ms")
    if not n_source:
        text = _("tokens: {source} typed → {target} written · {milliseconds} ms")
    return text.format(
        source=number(lengths[0]), target=number(lengths[1]), milliseconds=milliseconds
    )


def to_card(selected: Selection) -> None:
    """Lead to what is known of the head."""
    card_link.link(selected.opened, selected.head, _("Card of this head"))


def tell_head(selected: Selection) -> None:
    """Say below the row why not to believe the head's map."""
    # Its place is reserved: what is said of one head and not of another must not move the picture.
    with st.container(key="about_head"):
        if found := notes.about_map(selected.opened.run, selected.inspection, selected.head):
            st.caption(joined(found))


def ask_head(opened: Opened, *, kind: bool = True, head: bool = True) -> Head:
    """Ask which head of which attention; to be called inside of a row.

    Args:
        opened: The run and the sentence.
        kind: False where none is asked for, as in `choose`.
        head: The same for layer and head.
    """
    inspection, run = opened.inspection, opened.run
    kinds = list(dict.fromkeys(site.attention for site in inspection.attention))
    default = opening.default_kind(run)
    chosen = ask_kind(kinds, default, then=opening.open_other_kind, asked=kind)
    layer, index = ask_layer_and_head(
        len(inspection.sites_of(chosen)),
        run.settings.model.n_heads,
        opening.default_head(run, chosen),
        asked=head,
    )
    return Head(chosen.site(layer), index)


def _ask_whole_words(*, asked: bool) -> bool:
    """Ask whether subwords are merged to words."""
    unit = controls.choice(
        _("Unit"),
        session.UNIT,
        {"tokens": _("tokens"), "words": _("whole words")},
        "tokens",
        older={"whole words": "words"},
        help_text=_("Merged to words, rows are averaged and columns summed."),
        asked=asked,
    )
    return unit == "words"


def _labelled(tokens: Sequence[Token], inspection: Inspection) -> tuple[TokenLabel, ...]:
    if tokens is inspection.source_tokens:
        return labels(tokens, inspection.unknown_words)
    return labels_of_fed(inspection)


def ask_kind(
    offered: Sequence[Kind],
    default: Kind,
    then: Callable[[], None] | None = None,
    name: str = session.KIND,
    *,
    asked: bool = True,
) -> Kind:
    """Ask for one of the kinds of attention that a model has."""
    labels = {str(each): _(each.label) for each in offered}
    usual = str(default if default in offered else offered[0])
    older = {each.label: str(each) for each in offered}
    how = controls.How[str](older=older, then=then, asked=asked)
    return Kind(controls.choice(_("Attention"), name, labels, usual, **how))


def ask_stack(name: str, default: Stack) -> Stack:
    """Ask for encoder or decoder.

    Args:
        name: Of the choice: every view has its own, and so its own default.
        default: To begin with.
    """
    offered = {stack: _(label) for stack, label in STACK_LABELS.items()}
    return controls.choice(_("Stack"), name, offered, default)


def ask_layer_and_head(
    n_layers: int,
    n_heads: int,
    default: tuple[int, int],
    *,
    asked: bool = True,
) -> tuple[int, int]:
    """Ask for a layer and a head; a click into the maps sets them too."""
    layer = controls.number(_("layer"), n_layers, default[0], session.LAYER, asked=asked)
    head = controls.number(_("head"), n_heads, default[1], session.HEAD, asked=asked)
    return layer, head
