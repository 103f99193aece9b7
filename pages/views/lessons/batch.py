"""A padded batch and one of its sentences: what the lessons on masks and norms ask for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

import streamlit as st

from core.heads import Head, Kind, Side
from core.studies.lessons.masks import PaddedBatch, companions, padded_batch
from core.studies.opening.examples import longest_and_shortest
from pages.frame import controls, selection, session
from pages.frame.language import _
from pages.frame.maps import fed_labels, labels
from pages.frame.notes import site_and_head
from pages.frame.recipe import Recipe
from pages.frame.selection import (
    Opened,
    ask_layer_and_head,
    axis_of_keys,
    axis_of_queries,
)
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis

LARGEST_BATCH = 8
"""Sentences."""


class Axes(TypedDict):
    """The axes of a matrix."""

    rows: Axis
    columns: Axis


@dataclass(frozen=True, slots=True)
class Chosen:
    """A batch of a run, and the sentence and head that are looked at."""

    opened: Opened
    sentences: tuple[str, ...]
    batching: Recipe[PaddedBatch]
    """What computes the batch."""
    sentence: int
    """Which of the sentences."""
    head: Head

    @property
    def batch(self) -> PaddedBatch:
        """The sentences, filled up."""
        return self.batching.result()

    @property
    def kind(self) -> Kind:
        """The kind of attention."""
        return self.head.kind

    @property
    def axes(self) -> Axes:
        """The tokens of rows and columns, PAD included."""
        return {
            "rows": axis_of_queries(self.kind, self._labels(self.kind.query_side)),
            "columns": axis_of_keys(self.kind, self._labels(self.kind.key_side)),
        }

    @property
    def about(self) -> Mapping[str, str]:
        """What files say of the sentence and the head."""
        facts = {"sentence": self.sentences[self.sentence]}
        if all(each is not None for each in self.batch.inputs):
            fed_ids = self.batch.fed_ids[self.sentence]
            facts["translation"] = self.opened.run.target_tokenizer.decode(fed_ids[1:])
        return facts | {"head": site_and_head(self.head)}

    def _labels(self, side: Side) -> tuple[TokenLabel, ...]:
        run = self.opened.run
        tokenizer = run.tokenizer if side == "source" else run.target_tokenizer
        tokens = tokenizer.describe(self.batch.ids(side)[self.sentence].tolist())
        if self.batch.inputs[0] is None:
            # All of it was typed, but what fills up.
            return fed_labels(tokens, len(self.batch.fed_ids[self.sentence]))
        return labels(tokens)


def ask_kind(opened: Opened) -> Kind:
    """Ask for a kind of attention; within a row."""
    kinds = list(dict.fromkeys(site.attention for site in opened.run.model.sites()))
    return selection.ask_kind(kinds, Kind.DECODER_SELF, name="attention", asked=len(kinds) > 1)


def ask(opened: Opened, kind: Kind, *, heads: bool) -> Chosen:
    """Ask in a popover for the other sentences of the batch, and what of it to look at.

    Args:
        opened: The run and the first sentence.
        kind: The kind of attention.
        heads: True where a layer and a head are chosen, too.
    """
    sites = [site for site in opened.run.model.sites() if site.attention is kind]
    layer, head = 0, 0
    with st.popover(_("Batch and head") if heads else _("Batch"), width="content"):
        if heads:
            n_heads = opened.run.settings.model.n_heads
            layer, head = ask_layer_and_head(len(sites), n_heads, (0, 0))
        sentences = ask_others(opened)
        index = controls.selection(_("Sentence of the batch"), "row", dict(enumerate(sentences)), 0)
    batching = Recipe(padded_batch, opened.path, sentences)
    return Chosen(opened, sentences, batching, index, Head(sites[layer], head))


def ask_others(opened: Opened) -> tuple[str, ...]:
    """Ask for the other sentences of a batch, one on each line; the opened one is the first."""
    path = opened.path
    # What a model of one stack reads is no source of a task.
    pairs = opened.run.settings.model.is_encoder_decoder
    texts = Recipe(companions if pairs else longest_and_shortest, path).result()
    default = "\n".join(text for text in texts if text != opened.sentence)
    # Another run brings its own sentences.
    session.belongs_to(session.OTHERS, str(path))
    typed = controls.text(
        _("Other sentences of the batch, one on each line, up to {n}").format(n=LARGEST_BATCH - 1),
        session.OTHERS,
        default,
        height=72,
    )
    others = [line.strip() for line in typed.splitlines() if line.strip()]
    readable = [line for line in others if opened.run.tokenizer.encode(line).ids]
    return (opened.sentence, *readable[: LARGEST_BATCH - 1])


def name_what_is_cut(chosen: Chosen) -> None:
    """Say where a sentence of the batch did not fit into the model."""
    if chosen.batch.cut:
        st.caption(_("A sentence was cut: the model has no more positions."))
