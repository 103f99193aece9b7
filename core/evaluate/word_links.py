"""Links between the words of a sentence and of its translation, and how well they fit gold links.

Sources: Och and Ney, "A Systematic Comparison of Various Statistical Alignment Models" (2003), for
sure and possible links and the alignment error rate; Koehn et al., "Statistical Phrase-Based
Translation" (2003), for the union that grows from the intersection.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..tasks import CorpusError, Sample
from ..tasks.pairs import lines_of
from ..vocabulary import Span
from .intervals import Ratio, ratio

WordLink = tuple[int, int]
"""Numbers of a source word and of a target word."""
Spans = Sequence[Span]
_WRITTEN = re.compile(r"(\d+)([-?p])(\d+)")
_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


@dataclass(frozen=True, slots=True)
class GoldLinks:
    """The links that people, or a grammar, put between the words of two sentences."""

    sure: frozenset[WordLink]
    possible: frozenset[WordLink]
    """Links that are right, but need not be found; the sure ones are among them."""

    def only(self, links: Collection[WordLink]) -> "GoldLinks":
        """Return the links that are among some others."""
        return GoldLinks(self.sure & set(links), self.possible & set(links))


def read_links(line: str) -> GoldLinks:
    """Read links in the format of Pharaoh: `0-0` is sure, `1?2` or `1p2` possible.

    Raises:
        CorpusError: Something else stands in the line.

    >>> sorted(read_links("0-0 1?2").possible)
    [(0, 0), (1, 2)]
    """
    sure, possible = set[WordLink](), set[WordLink]()
    for text in line.split():
        found = _WRITTEN.fullmatch(text)
        if found is None:
            raise CorpusError("{text} is no link such as 0-0 or 1?2", text=text[:40])
        link = int(found[1]), int(found[3])
        possible.add(link)
        if found[2] == "-":
            sure.add(link)
    return GoldLinks(frozenset(sure), frozenset(possible))


def read_gold(path: Path) -> list[GoldLinks]:
    """Read a file of links, a line for each pair; of a line with tabs, what stands after the last.

    Raises:
        CorpusError: It cannot be read, or something else stands in a line.
    """
    lines = lines_of(path, str(path))
    return [read_links(line.rpartition("\t")[2]) for line in lines]


def written_links(links: Collection[WordLink]) -> str:
    """Write links in the format of Pharaoh.

    >>> written_links([(1, 2), (0, 0)])
    '0-0 1-2'
    """
    return " ".join(f"{source}-{target}" for source, target in sorted(links))


def links_of_sample(sample: Sample, source: Spans, target: Spans) -> GoldLinks:
    """Return the links that a task knows, between words.

    What it links as a whole ("doesn't") and is several words here is a possible link of each.
    """
    sure, possible = set[WordLink](), set[WordLink]()
    for link in sample.links:
        sources, targets = _overlapping(source, link.source), _overlapping(target, link.target)
        pairs = {(one, other) for one in sources for other in targets}
        possible |= pairs
        sure |= pairs if len(pairs) == 1 else set()
    return GoldLinks(frozenset(sure), frozenset(possible))


def _overlapping(words: Spans, span: Span) -> list[int]:
    return [
        number
        for number, word in enumerate(words)
        if word.start < span.end and span.start < word.end
    ]


def symmetrised(one: Collection[WordLink], other: Collection[WordLink]) -> set[WordLink]:
    """Join the links of both directions (grow-diag-final-and, Koehn et al. 2003).

    Begins with the links that both have. Takes links of the union beside those that are there, as
    long as one of the two words has none, and at last links between two words without any.
    """
    links, union = set(one) & set(other), sorted(set(one) | set(other))
    grown = True
    while grown:
        beside = [
            (source, target)
            for source, target in union
            if (source, target) not in links
            and not (_has(links, 0, source) and _has(links, 1, target))
            and any((source + down, target + right) in links for down, right in _NEIGHBOURS)
        ]
        links |= set(beside[:1])
        grown = bool(beside)
    for source, target in union:
        if not _has(links, 0, source) and not _has(links, 1, target):
            links.add((source, target))
    return links


def _has(links: Collection[WordLink], side: int, word: int) -> bool:
    return any(link[side] == word for link in links)


@dataclass(frozen=True, slots=True)
class LinkQuality:
    """How well links fit gold links, over some sentences."""

    aer: Ratio
    """Alignment error rate: 1 − (found sure + found possible) / (found + sure)."""
    precision: Ratio
    """The share of the links found that are possible."""
    recall: Ratio
    """The share of the sure links that are found."""

    @property
    def n(self) -> int:
        """Sentences."""
        return self.aer.n


def link_quality(found: Sequence[Collection[WordLink]], gold: Sequence[GoldLinks]) -> LinkQuality:
    """Compare the links of sentences with their gold links.

    The intervals hold the sentences for independent, not the links of one sentence.
    """
    counts = [
        (len(links), len(each.sure), len(each.sure & set(links)), len(each.possible & set(links)))
        for links, each in zip(found, gold, strict=True)
    ]
    found_N, sure_N, found_sure_N, found_possible_N = _columns(counts)
    all_N = found_N + sure_N
    return LinkQuality(
        aer=ratio(all_N - found_sure_N - found_possible_N, all_N),
        precision=ratio(found_possible_N, found_N),
        recall=ratio(found_sure_N, sure_N),
    )


def _columns(rows: Sequence[tuple[int, ...]]) -> list[NDArray[np.float64]]:
    return list(np.array(rows, np.float64).T)
