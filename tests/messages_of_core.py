"""Finds what core says in errors that no page can say in the reader's language."""

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

from pages.locales.catalogues import ERRORS
from tests.escaping_texts import Found

TEMPLATE_AT = {"Message": 0, "require": 1, **dict.fromkeys(ERRORS, 0)}
"""What is made of a template and values → where the template stands."""


def put_together(file: Path) -> list[Found]:
    """Return the texts of errors that no catalogue can hold, as values stand in them."""
    return [
        (call.lineno, ast.unparse(call)[:60])
        for call, text in _made(file)
        if isinstance(text, ast.JoinedStr)
    ]


def filled_otherwise(file: Path) -> list[Found]:
    """Return the messages that are handed other values than they have places for."""
    return [
        (call.lineno, ast.unparse(call)[:60])
        for call, text in _made(file)
        if isinstance(text, ast.Constant)
        and {name for _, name, _, _ in Formatter().parse(text.value) if name is not None}
        != {keyword.arg for keyword in call.keywords}
    ]


def _made(file: Path) -> Iterator[tuple[ast.Call, ast.expr]]:
    """Yield each call that makes a message, with its template."""
    for call in ast.walk(ast.parse(file.read_text())):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            at = TEMPLATE_AT.get(call.func.id)
            if at is not None and at < len(call.args):
                yield call, call.args[at]
