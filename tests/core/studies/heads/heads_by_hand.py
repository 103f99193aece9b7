"""Sentences whose words are known, and models whose heads are written down for each sentence."""

from types import SimpleNamespace

import numpy as np
import torch

from core.batch import Pair, TokenReference
from core.heads import Site
from core.model import Step
from core.studies.heads.roles import is_delimiter, questions_on, roles_in
from core.tokenizer.tokenizer import Token
from core.vocabulary import PAD

SELF, CAUSAL, CROSS = (
    Site.parse(f"{name}") for name in ("encoder.0.self", "decoder.0.self", "decoder.0.cross")
)
DOT, N_TOKENS = 3, 30
VOCABULARY = [
    Token(text, i < 3, 0)
    for i, text in enumerate(["PAD", "BOS", "EOS", ".", *(f"w{i}" for i in range(4, N_TOKENS))])
]


def sentence(rng, meant):
    """A pair with a full stop, links of every target word, and a pronoun at 3 after two nouns."""
    words = range(5, N_TOKENS)
    n_source, n_target = rng.integers(5, 9, size=2)
    source = [*rng.choice(words, size=n_source, replace=False).tolist(), DOT, 2]
    target = [1, *rng.choice(words, size=n_target, replace=False).tolist(), DOT, 2]
    reference = TokenReference((3,), (meant,), ((1,), (2,)), (2,), ambiguous=True)
    links = tuple((token, (int(rng.integers(n_source)),)) for token in range(n_target))
    return Pair(tuple(source), tuple(target), (reference,), alignment=links)


def sentences(seed=0, n=6):
    rng = np.random.default_rng(seed)
    return [sentence(rng, meant=1 + number % 2) for number in range(n)]


def questions(pairs):
    """What is asked in sentences of this vocabulary."""
    delimiters_V = torch.tensor([is_delimiter(token) for token in VOCABULARY])
    return questions_on(pairs, {"source": delimiters_V, "target": delimiters_V})


class ByHand:
    """One layer of each kind, whose heads are functions of a pair: weights_QK without padding."""

    device = torch.device("cpu")

    def __init__(self, known, heads):
        self.pairs = {pair.source: pair for pair in known}
        self.heads = heads
        self.config = SimpleNamespace(n_heads=len(next(iter(heads.values()))), pad_id=PAD)

    def sites(self):
        return tuple(self.heads)

    def __call__(self, source_BS, fed_BT, probe):
        for site, heads in self.heads.items():
            query_BQ = source_BS if site == SELF else fed_BT
            key_BK = fed_BT if site == CAUSAL else source_BS
            visible_BQK = (key_BK != 0)[:, None]
            if site == CAUSAL:
                visible_BQK = visible_BQK & torch.ones(2 * (fed_BT.shape[1],)).tril().bool()
            shape = (len(source_BS), len(heads), query_BQ.shape[1], key_BK.shape[1])
            # Rows of padding look somewhere, too.
            weights_BHQK = torch.full(shape, 1 / shape[-1])
            for number, ids in enumerate(source_BS.tolist()):
                pair = self.pairs[tuple(filter(None, ids))]
                for head, weights in enumerate(heads):
                    weights_QK = torch.as_tensor(weights(pair), dtype=torch.float32)
                    n_queries, n_keys = weights_QK.shape
                    weights_BHQK[number, head, :n_queries] = 0
                    weights_BHQK[number, head, :n_queries, :n_keys] = weights_QK
            probe.at(site, Step.VISIBLE, visible_BQK)
            probe.at(site, Step.WEIGHTS, weights_BHQK)


def sides(site, pair):
    """Ids of rows and of columns, and what is visible."""
    rows = pair.source if site == SELF else pair.target[:-1]
    columns = pair.target[:-1] if site == CAUSAL else pair.source
    seen = np.ones((len(rows), len(columns)), bool)
    return rows, columns, np.tril(seen) if site == CAUSAL else seen


def pointing(site, key_of):
    """A head that puts 0.7 on `key_of(pair, row)`, or is uniform where that cannot be."""

    def weights(pair):
        rows, _, seen = sides(site, pair)
        found = seen / seen.sum(axis=1, keepdims=True)
        for row in range(len(rows)):
            key = key_of(pair, row)
            if key is not None and 0 <= key < seen.shape[1] and seen[row, key]:
                found[row] *= 0.3
                found[row, key] += 0.7
        return found

    return weights


def antecedent(pair):
    [reference] = pair.references
    return reference.antecedent[0]


def scores_of(known, heads):
    return list(roles_in(ByHand(known, heads), known, questions(known)))


def values(head):
    return {role: score.value for role, score in head.scores.items()}
