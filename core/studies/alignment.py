"""Which source word made which target word: links between words, read off cross-attention.

A row of cross-attention says where the decoder looks while it is fed one word and predicts the
next. Some heads look at the source of the one, some at the source of the other, most at neither; so
the heads and the row are chosen by measurement.

Sources: Chen et al., "Accurate Word Alignment Induction from Neural Machine Translation" (2020) for
the two rows and for choosing by the agreement of two directions; Garg et al., "Jointly Learning to
Align and Translate with Transformer Models" (2019) for the mean over the heads of a layer.

H heads, S source tokens, T target tokens; small s and t count words.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..batch import collate
from ..decoding.sentence import translate
from ..evaluate.evaluation import held_out_samples, pairs_of
from ..evaluate.word_links import (
    GoldLinks,
    LinkQuality,
    Spans,
    WordLink,
    link_quality,
    links_of_sample,
    symmetrised,
)
from ..heads import Head, Kind, Site
from ..labels import longest_side
from ..model import Record
from ..runs.run import Run, RunError
from ..tasks import Sample
from ..tokenizer.tokenizer import Encoding
from ..tokenizer.words import is_punctuation, word_spans
from .cells import Table
from .heads.question import read
from .heads.texts import batches_of
from .opening.examples import examples_of

Weights = NDArray[np.float64]
Row = Literal["predicted", "fed"]
"""Which word of the target a row of cross-attention is about."""
ROWS: tuple[Row, ...] = ("predicted", "fed")
"""By how many rows each is later."""
N_SENTENCES, SEED = 400, 0
"""Held-out sentences: one half to choose heads on, the other to measure them on."""


@dataclass(frozen=True, slots=True)
class Aligner:
    """Heads of cross-attention whose mean weights say where words come from."""

    heads: tuple[Head, ...]
    row: Row

    @property
    def name(self) -> str:
        """The heads and the row in a line."""
        if len(self.heads) == 1:
            return f"{self.heads[0]} ({self.row})"
        sites = ", ".join(dict.fromkeys(str(head.site) for head in self.heads))
        return f"mean of the {len(self.heads)} heads of {sites} ({self.row})"


@dataclass(frozen=True, slots=True)
class Words:
    """A sentence and its translation, and where their words stand in them."""

    sample: Sample
    source: Spans
    target: Spans

    @classmethod
    def of(cls, sample: Sample, cut: Callable[[str], Spans] = word_spans) -> "Words":
        """Cut both texts into words."""
        return cls(sample, cut(sample.source), cut(sample.target))

    @property
    def turned(self) -> "Words":
        """The translation and its sentence, as a model of the other direction reads them."""
        turned = Sample(self.sample.target, self.sample.source)
        return Words(turned, self.target, self.source)

    @property
    def source_texts(self) -> tuple[str, ...]:
        """The words of the source."""
        return tuple(span.of(self.sample.source) for span in self.source)

    @property
    def target_texts(self) -> tuple[str, ...]:
        """The words of the target."""
        return tuple(span.of(self.sample.target) for span in self.target)

    @property
    def countable(self) -> frozenset[WordLink]:
        """All links between two words that are no punctuation."""
        sources, targets = (
            [number for number, text in enumerate(texts) if not is_punctuation(text)]
            for texts in (self.source_texts, self.target_texts)
        )
        return frozenset((source, target) for source in sources for target in targets)


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """The links of one sentence, each with a probability."""

    words: Words
    probabilities_st: Weights
    """Of each target word, how its weight on source words is shared out."""
    links: tuple[WordLink, ...]

    def table(self) -> Table:
        """Return a row for each link."""
        sources, targets = self.words.source_texts, self.words.target_texts
        return {
            "source": [source for source, _ in self.links],
            "source_word": [sources[source] for source, _ in self.links],
            "target": [target for _, target in self.links],
            "target_word": [targets[target] for _, target in self.links],
            "probability": [float(self.probabilities_st[link]) for link in self.links],
        }


@dataclass(frozen=True, slots=True)
class Candidate:
    """Heads that were tried."""

    aligner: Aligner
    agreement: float
    """2 · both / (one + other): how many links are the largest of their row and of their column."""
    quality: LinkQuality | None
    """On the sentences to choose on; None without gold links."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The heads that align best, and how well they do on sentences they were not chosen on."""

    best: Candidate
    tried: tuple[Candidate, ...]
    n: int
    """Sentences to choose on."""
    quality: LinkQuality | None = None
    """Of the best on the other sentences; None without gold links, as the two below."""
    diagonal: LinkQuality | None = None
    """Of a rule without a model: each word comes from the word at the same height."""
    first_head: LinkQuality | None = None
    """Of the first head of the last layer and the word that its row predicts."""

    @property
    def aligner(self) -> Aligner:
        """The chosen heads."""
        return self.best.aligner

    def table(self) -> Table:
        """Return a row for each candidate, on the sentences to choose on."""
        return {
            "heads": [" + ".join(map(str, each.aligner.heads)) for each in self.tried],
            "row": [each.aligner.row for each in self.tried],
            "agreement": [each.agreement for each in self.tried],
            "aer": [each.quality and each.quality.aer.value for each in self.tried],
        }


# ---- from weights to links


def word_weights(
    run: Run, words: Sequence[Words], aligners: Sequence[Aligner]
) -> Iterator[list[Weights]]:
    """Yield for each pair, in order, the weights_st between its words of each aligner.

    A source word gets what its tokens get together, a target word has the mean of its tokens' rows.
    Words beyond the model's positions get and have nothing.
    """
    longest = longest_side(run.settings.model, run.tokenizer)
    pairs = [
        replace(pair, source=pair.source[:longest], target=pair.target[: longest + 1])
        for pair in pairs_of(run, [each.sample for each in words])
    ]
    sources = run.tokenizer.encode_all([each.sample.source for each in words])
    targets = run.target_tokenizer.encode_all([each.sample.target for each in words])
    sites = list(dict.fromkeys(head.site for each in aligners for head in each.heads))
    record, recorded = Record(sites=frozenset(sites)), dict[int, dict[Site, Weights]]()
    numbers = {id(pair): number for number, pair in enumerate(pairs)}
    for group in batches_of(pairs, run.model.config.pad_id):
        read(run.model, collate(group, run.model.config.pad_id), record)
        for at, pair in enumerate(group):
            recorded[numbers[id(pair)]] = {
                site: record.weights(site)[at].double().cpu().numpy() for site in sites
            }
    before = len(run.tokenizer.begins), len(run.begins) - 1
    for number, each in enumerate(words):
        source_sS = _membership(each.source, sources[number], before[0])
        target_tT = _membership(each.target, targets[number], before[1])
        target_tT = target_tT / np.maximum(target_tT.sum(axis=1, keepdims=True), 1)
        yield [
            _between_words(recorded[number], aligner, source_sS, target_tT) for aligner in aligners
        ]


def _membership(words: Spans, encoding: Encoding, before: int) -> Weights:
    """Return which tokens, those before the text included, each word has: 1 or 0."""
    tokens = encoding.spans
    found = np.zeros((len(words), before + len(tokens)))
    for number, word in enumerate(words):
        for at, token in enumerate(tokens, start=before):
            found[number, at] = token.start < word.end and word.start < token.end
    return found


def _between_words(
    recorded: Mapping[Site, Weights], aligner: Aligner, source_sS: Weights, target_tT: Weights
) -> Weights:
    mean_TS = np.mean([recorded[head.site][head.index] for head in aligner.heads], axis=0)
    rows_TS = mean_TS[ROWS.index(aligner.row) :]
    n_rows, n_columns = np.minimum(rows_TS.shape, (target_tT.shape[1], source_sS.shape[1]))
    rows_tS = target_tT[:, :n_rows] @ rows_TS[:n_rows, :n_columns]
    return source_sS[:, :n_columns] @ rows_tS.T


def probabilities(weights_st: Weights) -> Weights:
    """Share out the weight that each target word has on source words, so that it sums to 1."""
    return weights_st / np.maximum(weights_st.sum(axis=0, keepdims=True), 1e-12)


def links_of(weights_st: Weights) -> set[WordLink]:
    """Return the link of each target word with any weight: to the source word with most of it."""
    if not weights_st.size:
        return set()
    most_t = weights_st.argmax(axis=0).tolist()
    return {(source, at) for at, source in enumerate(most_t) if weights_st[source, at] > 0}


def agreement(one: Sequence[set[WordLink]], other: Sequence[set[WordLink]]) -> float:
    """Return 2 · both / (one + other) of the links of some sentences, in two ways."""
    both = sum(len(a & b) for a, b in zip(one, other, strict=True))
    return 2 * both / max(1, sum(map(len, one)) + sum(map(len, other)))


def _turned(links: set[WordLink]) -> set[WordLink]:
    return {(target, source) for source, target in links}


# ---- choosing


def aligners_of(run: Run) -> list[Aligner]:
    """Return what may align: each head, the mean of each layer and of all heads, for both rows.

    Raises:
        RunError: The model has no cross-attention that reads word after word.
    """
    sites = [site for site in run.model.sites() if site.attention is Kind.CROSS]
    if not sites or run.model.config.is_parallel:
        raise RunError(
            "{path} does not write word after word with cross-attention, which aligns words",
            path=run.path,
        )
    layers = [tuple(site.heads(run.model.config.n_heads)) for site in sites]
    heads = [head for layer in layers for head in layer]
    groups = dict.fromkeys([*((head,) for head in heads), *layers, tuple(heads)])
    return [Aligner(group, row) for row in ROWS for group in groups]


def choose_aligner(run: Run) -> Choice:
    """Choose the heads that align best, by the best that there is to choose by.

    That is the links of the run's own task on held-out sentences, where it knows them; else the
    agreement of rows and columns on such sentences, or on examples that the model translates.
    """
    if run.settings.has_pairs:
        samples = held_out_samples(run, N_SENTENCES, SEED)
    else:
        sources = [example.source for example in examples_of(run)]
        samples = [Sample(source, translate(run, source).text) for source in sources]
    known = [sample for sample in samples if sample.links]
    words = [Words.of(sample) for sample in known or samples]
    gold = [links_of_sample(each.sample, each.source, each.target) for each in words]
    return chosen(run, words, gold if known else None)


def chosen(run: Run, words: Sequence[Words], gold: Sequence[GoldLinks] | None = None) -> Choice:
    """Choose heads by gold links: on every other pair, to be measured on the rest; or without.

    Args:
        run: A model with cross-attention.
        words: Pairs.
        gold: The links of each pair; None chooses by the agreement of rows and columns.
    """
    aligners = aligners_of(run)
    weights = list(word_weights(run, words, aligners))
    found = [[links_of(each[at]) for each in weights] for at in range(len(aligners))]
    turned = [[_turned(links_of(each[at].T)) for each in weights] for at in range(len(aligners))]
    agreements = [agreement(*both) for both in zip(found, turned, strict=True)]
    if gold is None:
        tried = tuple(map(Candidate, aligners, agreements, [None] * len(aligners)))
        return Choice(max(tried, key=lambda each: each.agreement), tried, len(words))
    first, rest = slice(0, None, 2), slice(1, None, 2)
    tried = tuple(
        Candidate(aligner, agreed, measured(words[first], links[first], gold[first]))
        for aligner, agreed, links in zip(aligners, agreements, found, strict=True)
    )
    best = min(range(len(tried)), key=lambda at: _error(tried[at]))
    marian = aligners.index(Aligner((_first_head(run),), "predicted"))
    diagonal = [diagonal_links(each) for each in words]
    return Choice(
        tried[best],
        tried,
        len(words[first]),
        *(
            measured(words[rest], links[rest], gold[rest])
            for links in (found[best], diagonal, found[marian])
        ),
    )


def _error(candidate: Candidate) -> float:
    return 1.0 if candidate.quality is None else candidate.quality.aer.value


def _first_head(run: Run) -> Head:
    """Return the first head of the last cross-attention, which Marian takes where nobody guides."""
    *_, last = [site for site in run.model.sites() if site.attention is Kind.CROSS]
    return last.heads(run.model.config.n_heads)[0]


def measured(
    words: Sequence[Words], found: Sequence[set[WordLink]], gold: Sequence[GoldLinks]
) -> LinkQuality:
    """Compare links with gold links; those of punctuation do not count."""
    countable = [each.countable for each in words]
    return link_quality(
        [links & those for links, those in zip(found, countable, strict=True)],
        [links.only(those) for links, those in zip(gold, countable, strict=True)],
    )


def diagonal_links(words: Words) -> set[WordLink]:
    """Link each target word to the source word at the same height."""
    n_source, n_target = len(words.source), len(words.target)
    if not n_source:
        return set()
    return {(min(n_source - 1, at * n_source // n_target), at) for at in range(n_target)}


# ---- aligning


def aligned(run: Run, words: Sequence[Words], aligner: Aligner) -> list[Alignment]:
    """Link the words of pairs."""
    found = [probabilities(weights_st) for [weights_st] in word_weights(run, words, [aligner])]
    return [
        Alignment(each, probabilities_st, tuple(sorted(links_of(probabilities_st))))
        for each, probabilities_st in zip(words, found, strict=True)
    ]


def aligned_both_ways(
    forward: Sequence[Alignment], reverse: Run
) -> tuple[Aligner, list[Alignment]]:
    """Join the links of a model with those of one that translates the other way.

    Its heads are those whose links agree most with the links that are there; the probability of a
    link is the mean of both.

    Returns:
        The heads of the other model, and the joined links.
    """
    words = [each.words.turned for each in forward]
    links = [set(each.links) for each in forward]
    aligners = aligners_of(reverse)
    weights = list(word_weights(reverse, words, aligners))
    agreements = [
        agreement(links, [_turned(links_of(each[at])) for each in weights])
        for at in range(len(aligners))
    ]
    best = int(np.argmax(agreements))
    joined = []
    for one, each in zip(forward, weights, strict=True):
        other_st = probabilities(each[best]).T
        both = symmetrised(one.links, _turned(links_of(each[best])))
        mean_st = (one.probabilities_st + other_st) / 2
        joined.append(Alignment(one.words, mean_st, tuple(sorted(both))))
    return aligners[best], joined


def align_sentence(run: Run, sentence: str, choice: Choice) -> Alignment:
    """Link the words of a sentence with those of its translation by the model.

    Raises:
        SentenceError: There is no text.
    """
    written = translate(run, sentence)
    [found] = aligned(run, [Words.of(Sample(written.source, written.text))], choice.aligner)
    return found
