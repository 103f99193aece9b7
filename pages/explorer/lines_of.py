"""The numbers of a view as columns, and the Python that computes them again."""

import json
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from core.tokenizer import Token
from pages.explorer.looked import Looked, key_tokens, query_tokens
from pages.explorer.taking import Column


def inspecting(looked: Looked, *imports: str) -> str:
    """Return Python that loads the run and inspects the sentence as the page does.

    Args:
        looked: What the page shows.
        imports: More lines that import, for what comes after.
    """
    path = looked.opened.path
    folder, sentence = _quoted(f"{path.parent.name}/{path.name}"), _quoted(looked.opened.sentence)
    lines = [
        *sorted(imports),
        "from core.inspection import inspect_sentence",
        "from core.model import Site",
        "from core.run import load_run",
        *(["from core.words import merged"] if looked.whole_words else []),
        "",
        f"run = load_run(Path({folder}))",
        f"inspection = inspect_sentence(run, {sentence})",
        *(["inspection = merged(inspection)"] if looked.whole_words else []),
    ]
    return "\n".join(["from pathlib import Path", "", *lines, ""])


def _quoted(text: str) -> str:
    """Return a text as Python writes it, in double quotes: JSON's escapes are Python's too."""
    return json.dumps(text, ensure_ascii=False)


def weights(looked: Looked, heads: Mapping[str, NDArray[np.float32]]) -> Mapping[str, Column]:
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
        "head": np.repeat(list(heads), len(queries) * len(keys)).tolist(),
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
