from types import SimpleNamespace

import numpy as np
import pytest

from core.heads import Kind
from core.inspection import SiteAttention, even_weights, inspect_sentence
from core.studies.heads.largest_weights import (
    head_between_words,
    sharpest_head,
)
from core.tokenizer.tokenizer import Token


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("sentence", ["ab cd ef", "a", "."])
def test_the_sharpest_head_has_the_largest_weights_in_the_rows_of_words(copy_run, kind, sentence):
    inspection = inspect_sentence(copy_run, sentence)
    tokens = inspection.tokens_of(kind.query_side)
    rows = [i for i, t in enumerate(tokens) if not t.special and t.text.isalnum()]
    means = {}
    for site, attention in inspection.attention.items():
        if site.attention is kind:
            for head, weights in enumerate(attention.weights_HQK.astype(np.float64)):
                largest = [max(row) for row in weights.tolist()]
                chosen = rows or range(len(largest))
                means[site, head] = sum(largest[row] for row in chosen) / len(chosen)
    found = sharpest_head(inspection, kind)
    assert means[found.site, found.index] == pytest.approx(max(means.values()), abs=1e-6)


def words(text):
    return tuple(Token(each, False, at) for at, each in enumerate(text.split()))


def one_layer(kind, tokens, *maps):
    visible = np.tril(np.ones((len(tokens),) * 2, bool)) if kind.causal else None
    visible = np.ones((len(tokens),) * 2, bool) if visible is None else visible
    attention = {kind.site(0): SiteAttention(np.array(maps, np.float32), even_weights(visible))}
    return SimpleNamespace(
        attention=attention, tokens_of=lambda _: tokens, sites_of=lambda _: [kind.site(0)]
    )


@pytest.mark.parametrize("kind", [Kind.ENCODER_SELF, Kind.DECODER_SELF])
def test_a_head_that_leaves_its_weight_on_what_says_nothing_is_not_the_one_to_open_on(kind):
    rest = [[1, 0, 0], [1, 0, 0], [1, 0, 0]]
    itself = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    word = [[1, 0, 0], [0.4, 0.6, 0], [0.2, 0.5, 0.3]]
    tokens = words("the old house")
    if not kind.causal:
        tokens = (Token("[CLS]", True, 0), *tokens[1:])
    assert head_between_words(one_layer(kind, tokens, rest, itself, word), kind).index == 2
    assert sharpest_head(one_layer(kind, tokens, rest, itself, word), kind).index == 0
