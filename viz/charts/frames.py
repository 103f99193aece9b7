"""Numbers as tables."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from pandas.io.formats.style import Styler

DIFFERS = "differs"
"""The column that says in which settings runs differ."""


def runs_table(rows: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    """Return one row for each run; a column for whatever is known of any of them.

    Args:
        rows: What is known of each run, by the name of its column. Numbers stay numbers, so that
            they are sorted as numbers; where a run lacks one, nothing stands.

    Returns:
        Columns in the order in which they first come.
    """
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return pd.DataFrame({name: _column([row.get(name) for row in rows]) for name in columns})


def settings_table(
    settings: Mapping[str, Mapping[str, object]], *, only_differing: bool = False
) -> pd.DataFrame:
    """Return one row for each setting, one column for each run, and whether they differ.

    Args:
        settings: Name of a run → its settings; a setting within another is called by both names,
            as model.d_model.
        only_differing: True to leave out what is the same in all runs.

    Returns:
        Index "setting"; a column for each run, as text, empty where a run has no such setting;
        and DIFFERS, which is True where not all runs are the same. A run that is called DIFFERS
        too gets a space behind its name.
    """
    flat = {_run_column(name): dict(_flattened(values)) for name, values in settings.items()}
    names = list(dict.fromkeys(name for values in flat.values() for name in values))
    differs = [len({_written(values.get(name)) for values in flat.values()}) > 1 for name in names]
    columns: dict[str, list[object]] = {
        run: [_written(values.get(name)) for name in names] for run, values in flat.items()
    }
    index = pd.Index(names, name="setting", dtype="object")
    table = pd.DataFrame(columns | {DIFFERS: differs}, index=index).astype({DIFFERS: bool})
    return table[table[DIFFERS]] if only_differing else table


def written(table: pd.DataFrame | Styler, writers: Mapping[str, Callable[[Any], str]]) -> Styler:
    """Return a table that shows numbers as they are written, and sorts them as numbers.

    Args:
        table: Any, also one with colours.
        writers: Name of a column → what writes a value of it; columns that are not there are
            passed over. Where a value is missing, nothing stands.
    """
    style = table.style if isinstance(table, pd.DataFrame) else table
    return style.format(dict(writers), na_rep="")


def _column(values: Sequence[object]) -> "pd.Series[object]":
    """Return whole numbers as such also where some are missing; pandas would make fractions."""
    known = [value for value in values if value is not None]
    if any(value is None for value in values) and known and all(type(v) is int for v in known):
        return pd.Series(values, dtype="Int64")
    return pd.Series(values)


def _run_column(name: str) -> str:
    return f"{name} " if name == DIFFERS else name


def _flattened(settings: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flattened(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _written(value: object) -> str:
    """Return a setting as text: columns hold numbers, words and yes or no below each other."""
    match value:
        case None:
            return ""
        case float():
            return f"{value:.6g}"
        case list() | tuple():
            return ", ".join(map(_written, value))
        case _:
            return str(value)
