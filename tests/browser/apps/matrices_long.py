"""Matrices with cells so small that they can be zoomed; each label says which it is."""

from dataclasses import replace

import numpy as np

from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix


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


def compared(length=24):
    """Three maps of a sentence, whose cells are small where they stand side by side."""
    titles, word = ("First", "Second", "Difference"), "word{}"
    return Matrices(panels=tuple(plain(title, length, length, word, word) for title in titles))


def twelve():
    """The same of a sentence so short that all of it can be read."""
    return compared(12)


def leftwards():
    """Words that are read from right to left."""
    return Matrices(panels=(plain("Leftwards", 70, 64, "مرحبا{}", "שלום{}"),))


CASES = {"vast": vast, "compared": compared, "twelve": twelve, "leftwards": leftwards}
