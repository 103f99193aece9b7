"""What the lessons say is true of each kind of model: recurrent, convolutional, parallel."""

import pytest

from tests.pages.conftest import said

KINDS = {
    "runs/bare": {"encoder_mixing": "convolution", "decoder_mixing": "average", "residual": False},
    "runs/turned": {"positions": "rotary"},
    "runs/buckets": {"positions": "buckets"},
}
"""Runs of one's own with random weights → how they differ from the gallery's copy run."""


@pytest.mark.parametrize(
    ("where", "true", "false"),
    [
        (
            "masks masks copy",
            ["may not look ahead, and", "ahead mask hides as"],
            [],
        ),
        (
            "masks masks parallel",
            ["why may each", "nothing to hide"],
            ["may not look ahead,"],
        ),
        ("masks masks bottleneck-attention", ["nothing to hide"], ["Switch between"]),
        ("layers parts copy", ["scores grow", "Compare cross-attention"], ["the work grows"]),
        (
            "layers parts bottleneck-fixed",
            ["the work grows"],
            ["scores grow", "Compare cross"],
        ),
        ("layers parts bottleneck-attention", ["scores grow"], ["Compare cross-attention"]),
        ("layers stream copy", ["adds most", "become the next word"], ["no residual"]),
        ("layers stream parallel", ["adds most"], ["become the next word"]),
        ("layers stream runs/bare", ["has no residual connections"], ["adds most"]),
        ("positions learned copy", ["chosen model has sinusoids"], []),
        (
            "positions learned bottleneck-fixed",
            ["model has no positions"],
            ["sinusoids, which"],
        ),
        ("positions learned runs/turned", ["turns queries and keys"], ["sinusoids, which"]),
        ("positions learned runs/buckets", ["numbers for distances"], ["sinusoids, which"]),
        (
            "positions learned copy-learned",
            ["training made 8 most like **9**"],
            ["is shown:"],
        ),
        ("scaling variance bottleneck-fixed", ["has no attention"], ["What you see"]),
        ("scaling heads bottleneck-fixed", ["has no attention"], ["nan", "spread"]),
        ("scaling heads bottleneck-attention", ["trained without the scaling"], ["nan"]),
    ],
)
def test_a_lesson_says_what_is_true_of_the_model(
    open_page, own_random, handed_over, where, true, false
):
    page, view, model = where.split()
    if model in KINDS:
        own_random(model.removeprefix("runs/"), **KINDS[model])
    at = open_page(page, model=model, sentence="a b c d", **{page: view})
    text = "\n".join([said(at), *(handed_over[-1].tries if handed_over else [])])
    for each in true:
        assert each in text
    for each in false:
        assert each not in text


@pytest.mark.parametrize(
    ("model", "attention", "terms"),
    [
        ("copy", "decoder.self", ("PAD", "look-ahead")),
        ("copy", "decoder.cross", ("PAD",)),
        ("parallel", "decoder.self", ("PAD",)),
    ],
)
def test_the_formula_of_the_masks_has_those_that_the_attention_has(
    open_page, handed_over, model, attention, terms
):
    open_page("masks", masks="masks", model=model, sentence="a b c", attention=attention)
    formula = handed_over[-1].formula
    assert tuple(each for each in ("PAD", "look-ahead") if each in formula) == terms
