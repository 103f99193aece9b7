"""Show which token each head looks at, for every head of a trained run."""

import argparse
import json
from typing import Any

from ..inspection import Inspection, inspect_sentence
from ..runs.run import load_run
from ..tokenizer.tokenizer import Token
from . import options
from .options import print_table
from .translate import warn


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run, a sentence, and a target where it is not the model's own."""
    add = parser.add_argument
    add("run", type=options.run_folder, metavar="RUN", help="such as gallery/translate")
    add("sentence", metavar="SENTENCE")
    add("--target", help="feed this instead of the model's own translation")
    add("--json", action="store_true", help="every weight of every head")


def run(arguments: argparse.Namespace) -> None:
    """Print the whole as JSON, or a table of largest weights."""
    loaded = load_run(arguments.run)
    inspection = inspect_sentence(loaded, arguments.sentence, arguments.target)
    warn(inspection.translation)
    if arguments.json:
        print(json.dumps(to_json(inspection), ensure_ascii=False))
    else:
        print(inspection.translation.text)
        print_table(_largest_weights(inspection))


def to_json(inspection: Inspection) -> dict[str, Any]:
    """Return tokens and weights as JSON can hold them; a list is [head][query][key]."""
    return {
        "source": {"tokens": _texts(inspection.source_tokens)},
        "target": {
            "fed": _texts(inspection.fed_tokens),
            "predicted": _texts(inspection.predicted_tokens),
        },
        "attention": {
            str(site): {
                "weights": attention.weights_HQK.tolist(),
                "visible": attention.visible_QK.tolist(),
            }
            for site, attention in inspection.attention.items()
        },
    }


def _largest_weights(inspection: Inspection) -> dict[str, list[object]]:
    """Return a row for each query of each head: the key with the largest weight."""
    columns: dict[str, list[object]] = {"head": [], "query": [], "key": [], "weight": []}
    for site, attention in inspection.attention.items():
        kind = site.attention
        queries, keys = inspection.tokens_of(kind.query_side), inspection.tokens_of(kind.key_side)
        for index, weights_QK in enumerate(attention.weights_HQK):
            for query, row_K in zip(queries, weights_QK.tolist(), strict=True):
                best = max(range(len(row_K)), key=row_K.__getitem__)
                row = (f"{site}:{index}", query.text, keys[best].text, row_K[best])
                for column, value in zip(columns.values(), row, strict=True):
                    column.append(value)
    return columns


def _texts(tokens: tuple[Token, ...]) -> list[str]:
    return [token.text for token in tokens]
