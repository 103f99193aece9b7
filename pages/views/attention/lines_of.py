"""The numbers of a view as columns, and the Python that computes them again."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.tokenizer import Token
from pages.frame.export import Column
from pages.frame.selection import Looked, key_tokens, query_tokens

Name = TypeVar("Name", int, str)


def loading(looked: Looked, *imports: str) -> str:
    """Return Python that loads the run.

    Args:
        looked: What the page shows.
        imports: More lines that import, for what comes after.
    """
    lines = sorted({*imports, "from core.runs.run import load_run"})
    run = f"run = load_run({folder(looked.opened.path)})"
    return "\n".join(["from pathlib import Path", "", *lines, "", run, ""])


def inspecting(looked: Looked, *imports: str) -> str:
    """Return Python that loads the run and inspects the sentence as the page does.

    Args:
        looked: What the page shows.
        imports: More lines that import, for what comes after.
    """
    needed = ["from core.inspection import inspect_sentence"]
    if looked.whole_words:
        needed.append("from core.inspection import merged")
    lines = [
        f"inspection = inspect_sentence(run, {quoted(looked.opened.sentence)})",
        *(["inspection = merged(inspection)"] if looked.whole_words else []),
    ]
    return loading(looked, *imports, *needed) + "\n".join([*lines, ""])


def folder(path: Path) -> str:
    """Return a run's folder, seen from the project's, as Python writes it."""
    return f"Path({quoted(f'{path.parent.name}/{path.name}')})"


def quoted(text: str) -> str:
    """Return a text as Python writes it, in double quotes: JSON's escapes are Python's too."""
    return json.dumps(text, ensure_ascii=False)


def weights(looked: Looked, heads: Mapping[Name, NDArray[np.float32]]) -> Mapping[str, Column]:
    """Return one row for each cell of the maps, which have the view's queries and keys.

    Where `visible` is False the mask hides the key from the query, and the weight is 0.

    Args:
        looked: Whose tokens they are.
        heads: What is written under `head` → weights_QK.
    """
    queries = query_tokens(looked.inspection, looked.kind)
    keys = key_tokens(looked.inspection, looked.kind)
    visible_QK = looked.attention.visible_QK
    return {
        "head": [head for head in heads for _cell in range(len(queries) * len(keys))],
        **_cells(queries, keys, len(heads)),
        "visible": visible_QK.reshape(-1).tolist() * len(heads),
        "weight": np.concatenate([each.reshape(-1) for each in heads.values()]).tolist(),
    }


def _cells(queries: tuple[Token, ...], keys: tuple[Token, ...], times: int) -> dict[str, Column]:
    rows, columns = np.indices((len(queries), len(keys))).reshape(2, -1)
    return {
        "query": np.tile(rows, times).tolist(),
        "query_token": [queries[row].text for row in rows] * times,
        "key": np.tile(columns, times).tolist(),
        "key_token": [keys[column].text for column in columns] * times,
    }
