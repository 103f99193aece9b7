"""A padded batch and one head: what three views of the masks lesson ask for and have in common."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.heads import Head, Kind, Side
from core.studies.lessons.masks import (
    HeadOfBatch,
    Mask,
    PaddedBatch,
    head_of_batch,
    padded_batch,
)
from core.tokenizer.tokenizer import Tokenizer
from pages.frame import cached, controls, opening, session, snippets
from pages.frame.cells import cell_columns
from pages.frame.language import _, number, plain
from pages.frame.listed import joined
from pages.frame.maps import fed_labels, labels
from pages.frame.notes import site_and_head
from pages.frame.opening import Opened
from pages.frame.selection import ask_kind, ask_layer_and_head, axis_of_keys, axis_of_queries
from pages.frame.view import Columns
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrix


@dataclass(frozen=True, slots=True)
class Chosen:
    """A batch of a run, and what of it is looked at."""

    path: Path
    """Of the run."""
    tokenizers: Mapping[Side, Tokenizer]
    sentences: tuple[str, ...]
    batch: PaddedBatch
    sentence: int
    """Which of the sentences."""
    head: Head

    @property
    def kind(self) -> Kind:
        """The kind of attention."""
        return self.head.kind

    @property
    def queries(self) -> Axis:
        """The tokens that look, PAD included."""
        return axis_of_queries(self.kind, self._labels(self.kind.query_side))

    @property
    def keys(self) -> Axis:
        """The tokens that are looked at, PAD included."""
        return axis_of_keys(self.kind, self._labels(self.kind.key_side))

    @property
    def about(self) -> Mapping[str, str]:
        """What files say of the sentence and the head."""
        said = {"sentence": self.sentences[self.sentence]}
        if all(each is not None for each in self.batch.inputs):
            fed_ids = self.batch.fed_ids[self.sentence]
            said["translation"] = self.tokenizers["target"].decode(fed_ids[1:])
        return said | {"head": site_and_head(self.head)}

    def of_head(self, without: tuple[Mask, ...] = ()) -> HeadOfBatch:
        """Return what the head does with the batch when some masks are left out."""
        where = (self.batch, self.head, self.sentence)
        return cached.of_model(head_of_batch, self.path, *where, without)

    def cells(self, **columns: NDArray[np.floating] | str) -> Columns:
        """Return one row for each cell of a map that has the queries and keys.

        Args:
            columns: Name → values_QK, or a text that stands in every row.
        """
        cells = cell_columns(self.queries.labels, self.keys.labels)
        return {
            **cells,
            **{
                name: [each] * len(cells["key"])
                if isinstance(each, str)
                else each.reshape(-1).tolist()
                for name, each in columns.items()
            },
        }

    def python(self, *imports: str) -> str:
        """Return Python that makes the batch, and does with it what the head does, as `done`.

        Args:
            imports: More lines that import, for what comes after.
        """
        begun = snippets.loading(
            self.path,
            *imports,
            "from core.studies.lessons.masks import head_of_batch",
            "from core.studies.lessons.masks import padded_batch",
            "from core.heads import Head",
        )
        return begun + "\n".join(
            [
                f"batch = padded_batch(run, {snippets.listed(self.sentences)})",
                f'head = Head.parse("{self.head}")',
                f"done = head_of_batch(run.model, batch, head, {self.sentence})",
                "",
            ]
        )

    def _labels(self, side: Side) -> tuple[TokenLabel, ...]:
        tokens = self.tokenizers[side].describe(self.batch.ids(side)[self.sentence].tolist())
        if self.batch.inputs[0] is None:
            # All of it was typed, but what fills up.
            return fed_labels(tokens, len(self.batch.fed_ids[self.sentence]))
        return labels(tokens)


def ask(opened: Opened, *, heads: bool) -> Chosen:
    """Ask for the other sentences of the batch, and what of it to look at.

    Args:
        opened: The run and the first sentence.
        heads: True where a layer and a head are chosen, too.
    """
    sites = opened.run.model.sites()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sentences = opening.ask_batch(opened)
        kinds = list(dict.fromkeys(site.attention for site in sites))
        several = len(kinds) > 1
        kind = ask_kind(kinds, Kind.DECODER_SELF, name=session.ATTENTION, asked=several)
        index = controls.number(_("sentence"), len(sentences), 0, session.ROW)
        chosen_sites = [site for site in sites if site.attention is kind]
        layer, head = 0, 0
        if heads:
            n_heads = opened.run.settings.model.n_heads
            layer, head = ask_layer_and_head(len(chosen_sites), n_heads, (0, 0))
    batch = cached.of_run(padded_batch, opened.path, sentences)
    said = [
        _("Shown is sentence {n}: “{text}”").format(n=number(index), text=plain(sentences[index]))
    ]
    if batch.cut:
        said.append(_("A sentence was cut: the model has no more positions."))
    with st.container(key="sentence_of_batch"):
        st.caption(joined(said))
    head_of_site = Head(chosen_sites[layer], head)
    tokenizers: dict[Side, Tokenizer] = {
        "source": opened.run.tokenizer,
        "target": opened.run.target_tokenizer,
    }
    return Chosen(opened.path, tokenizers, sentences, batch, index, head_of_site)


def weights_map(chosen: Chosen, done: HeadOfBatch, title: str) -> Matrix:
    """Return one head's weights in one sentence."""
    return Matrix(
        title=title,
        values=done.weights_QK,
        visible=done.visible_QK,
        rows=chosen.queries,
        columns=chosen.keys,
        hidden_value="0",
        value_name=_("weight"),
    )
