"""Matrices whose every number is known, for the browser tests and for looking at."""

from dataclasses import replace

import numpy as np

from tests.browser.apps.maps_cases import EOS, softmax
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix, numbered

WORDS = "The animal did n't cross the street because it was too tired ."
LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunte"
ODD = ("</s>", "<b>", LONG, "مرحبا بالعالم", "{row}", '="b", c', "")


def axis(name, words, side="source"):
    return Axis(name=name, labels=tuple(map(TokenLabel, words)), side=side)


def sentence():
    """The scores of words that look back, and the weights after the softmax."""
    labels = (*map(TokenLabel, WORDS.split()), EOS)
    words = Axis(name="word", labels=labels, side="target")
    visible = np.tri(len(labels), dtype=np.bool_)
    scores = np.random.default_rng(1).normal(0, 1.6, visible.shape).astype(np.float32)
    weights = softmax(np.where(visible, scores, -np.inf))
    both = {"rows": words, "columns": words, "visible": visible}
    return Matrices(
        panels=(
            Matrix(title="Scores", values=scores, scale="signed", limit=4.0, **both),
            Matrix(title="Weights", values=weights, note="Each row sums to 1.", **both),
        ),
        selected=(0, 8, 1),
    )


def known():
    """Two panels of 3 × 4 with the same rows; beyond the limit, hidden, and equal to 0."""
    signed = np.array([[-1, -0.5, 0, 0.25], [0.1, 1, 2, -3], [0, 0.03125, -0.4, 0.6]], np.float32)
    visible = np.ones((3, 4), np.bool_)
    visible[0, 3] = False
    rows = axis("query", ("le", "chat", "dort"), "target")
    columns = axis("key", ("the", "cat", "sleeps", "here"))
    weights = np.abs(signed) / 4
    weights[0, 3] = 0
    return Matrices(
        panels=(
            Matrix(
                title="Signed", values=signed, rows=rows, columns=columns, scale="signed", limit=2.0
            ),
            Matrix(
                title='Hidden, "quoted"',
                values=weights,
                rows=rows,
                columns=columns,
                visible=visible,
                hidden="−∞: hidden by the mask",
                value_name="weight",
            ),
        )
    )


def flipped():
    """The known ones, the first with its values the other way round."""
    shown = known()
    first, second = shown.panels
    return replace(shown, panels=(replace(first, values=np.flip(first.values)), second))


def lens():
    """A word in each cell, as from decoding every layer."""
    guesses = ("the", "street", "tired", "Straßenbahnhaltestelle", "</s>", "animal", "was")
    columns = axis("position: the word fed", WORDS.split()[:7], "target")
    texts = [[guesses[(3 * row + column) % 7] for column in range(7)] for row in range(6)]
    values = np.linspace(0, 1, 42, dtype=np.float32).reshape(6, 7)
    visible = np.ones((6, 7), np.bool_)
    visible[1] = False
    return Matrices(
        panels=(
            Matrix(
                title="What each layer would say next",
                values=values,
                rows=numbered("layer", 6),
                columns=columns,
                texts=texts,
                visible=visible,
                grey_words=True,
                value_name="probability",
                note="The unembedding, applied before the last layer.",
            ),
        )
    )


def large():
    values = np.zeros((512, 512), np.float32)
    values[100, 300], values[101, 301] = -1.0, 0.5
    return Matrices(
        panels=(
            Matrix(
                title="512 × 512",
                values=values,
                rows=numbered("row", 512),
                columns=numbered("column", 512),
                scale="signed",
            ),
        )
    )


def odd():
    n = len(ODD)
    words = axis("word", ODD)
    values = np.full((n, n), 1 / n, np.float32)
    return Matrices(
        panels=(
            Matrix(title="</title><b>Odd</b>", values=values, rows=words, columns=words),
            Matrix(
                title="Odd words inside",
                values=values,
                rows=words,
                columns=words,
                texts=[ODD] * n,
            ),
        )
    )


NUMBERS = ("1.00", "−0.139", "1.01e−06", "14.9")


def numbers():
    """A number in each cell; the longest of them need more room than a narrow window has."""
    texts = [[NUMBERS[(row + column) % 4] for column in range(20)] for row in range(3)]
    values = np.linspace(0, 1, 60, dtype=np.float32).reshape(3, 20)
    rows = axis("", ("masked", "power of e", "weight"), "")
    columns = axis("key: the word looked at", [f"word{i}" for i in range(20)])
    shown = Matrix(title="Shares", values=values, rows=rows, columns=columns, texts=texts)
    return Matrices(panels=(shown,))


def long(length=61):
    """More words than there is room for labels."""
    words = axis("word", [f"word{i}" for i in range(length)])
    values = np.eye(length, dtype=np.float32)
    return Matrices(panels=(Matrix(title="Long", values=values, rows=words, columns=words),))


def words(name, text, count, side):
    return Axis(name=name, labels=[TokenLabel(text.format(i)) for i in range(count)], side=side)


def plain(title, n_rows, n_columns, row="t{}", column="s{}", **changes):
    """Random weights between words that say which they are."""
    values = np.random.default_rng(n_rows).random((n_rows, n_columns), np.float32) ** 4
    rows = words("query", row, n_rows, "target")
    columns = words("key", column, n_columns, "source")
    return Matrix(title=title, values=values, rows=rows, columns=columns, **changes)


def vast():
    """Very long sentences; some of what is in the second panel is hidden."""
    visible = np.tri(512, 500, 60, dtype=np.bool_)
    first, second = plain("First", 512, 500), plain("Second", 512, 500, visible=visible)
    return Matrices(panels=(first, replace(second, scale="signed", limit=0.5)))


_ALL = (known, flipped, sentence, lens, large, odd, numbers, long, vast)
CASES = {case.__name__: case for case in _ALL}
