import json

import numpy as np
import pytest

from pages.frame.language import percent
from tests.pages.conftest import said

PETS = "The dog slept because the cat was tired."


def figure(at):
    return json.loads(at.get("plotly_chart")[0].proto.spec)


@pytest.fixture
def open_points(open_lesson):
    query = {"embedding_shown": "points", "sentence": PETS}
    return lambda **asked: open_lesson("embedding", **query, **asked)


def test_the_share_of_the_variance_is_said(open_points, run):
    vectors_VD = run.model.source_embedding.tokens.weight.detach().double().numpy()
    variance_D = np.linalg.eigvalsh(np.cov(vectors_VD.T))[::-1]
    for n_dimensions in (2, 3):
        at, _shown = open_points(dimensions=str(n_dimensions))
        share = variance_D[:n_dimensions].sum() / variance_D.sum()
        assert f"**{percent(share)}** of the variance of the token vectors" in said(at)


@pytest.mark.parametrize("words", ["", "x,-1,99999999999,3.5,9000000"])
def test_without_a_selection_the_neighbours_of_the_position_s_token_are_named(open_points, words):
    at, _shown = open_points(vectors_position="1", words=words)
    assert "Nearest to **dog** in the whole vocabulary" in said(at)
    assert "Draw a line around points to see" in said(at)


def test_a_link_names_the_neighbours_of_the_selected_words(open_points, run):
    cat, street = (run.tokenizer.encode(word).ids[0] for word in ("cat", "street"))
    at, _shown = open_points(words=f"{cat},{street}")
    assert "Nearest to **cat**" in said(at)
    assert "Nearest to **street**" in said(at)
    assert "Nearest to **dog**" not in said(at)


def test_the_figure_stays_when_words_are_selected(open_points, run):
    # Streamlit draws another figure in the place of one that has changed: the selection would go.
    (cat,) = run.tokenizer.encode("cat").ids[:1]
    before = figure(open_points()[0])
    assert figure(open_points(words=str(cat))[0]) == before


@pytest.mark.parametrize(("kind", "stack"), [("gpt2", "decoder"), ("bert", "encoder")])
def test_a_model_of_one_stack_has_its_vocabulary_too(open_alone, kind, stack):
    at, shown, run = open_alone(kind, "embedding", embedding_shown="points")
    assert shown.name == f"vocabulary_{stack}"
    n_tokens = len(run.model.embedding(stack).tokens.weight)
    assert sum(len(trace["customdata"]) for trace in figure(at)["data"]) == min(n_tokens, 2000)
