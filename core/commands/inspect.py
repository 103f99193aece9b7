"""Show which token each head looks at, for every head of a trained run."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ..config.checks import LARGEST_SIZE, MOST_LAYERS
from ..heads import Head
from . import options
from .options import CommandError, print_table
from .translate import OF_WRITING, warn

if TYPE_CHECKING:
    from ..inspection import Inspection
    from ..runs.run import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run, a sentence, and a target where it is not the model's own."""
    add = parser.add_argument
    add("run", type=options.run_folder, metavar="RUN", help="such as gallery/translate")
    add("sentence", metavar="SENTENCE")
    fed = parser.add_mutually_exclusive_group()
    fed.add_argument("--target", help="feed this instead of the model's own translation")
    fed.add_argument(
        "--max-new-tokens",
        type=options.whole(0, LARGEST_SIZE),
        metavar="N",
        help="write N tokens at most; 0 looks at a prompt alone",
    )
    options.add_asking(parser)
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--head", type=options.head, metavar="SITE:HEAD", help="one head alone")
    shown.add_argument(
        "--layer", type=options.whole(0, MOST_LAYERS), metavar="LAYER", help="one layer alone"
    )
    add("--json", action="store_true", help="every weight of every head that is shown")


def run(arguments: argparse.Namespace) -> None:
    """Print the whole as JSON, or a table of largest weights."""
    from ..inspection import inspect_sentence
    from ..runs.run import load_run

    loaded = replace(load_run(arguments.run), max_new_tokens=arguments.max_new_tokens)
    loaded = options.asked(loaded, arguments)
    heads = _heads(arguments, loaded)
    config = loaded.model.config
    if config.is_parallel or config.is_encoder_only:
        options.refuse(arguments, ("max_new_tokens",), OF_WRITING)
    if config.is_encoder_only:
        options.refuse(arguments, ("target",), "is for a model with a decoder")
    inspection = inspect_sentence(loaded, arguments.sentence, arguments.target)
    warn(loaded, inspection.translation)
    if arguments.json:
        print(json.dumps(to_json(inspection, heads), ensure_ascii=False))
    else:
        print(inspection.translation.text)
        print_table(_largest_weights(inspection, heads))


def _heads(arguments: argparse.Namespace, loaded: "Run") -> Sequence[Head]:
    """Return the heads of the model that are shown: all, those of a layer, or one."""
    heads = [
        head
        for site in loaded.model.sites()
        for head in site.heads(loaded.model.config.n_heads)
        if arguments.head in (None, head) and arguments.layer in (None, head.layer)
    ]
    if arguments.head is not None and not heads:
        raise CommandError(f"this model has no head {arguments.head}")
    if arguments.layer is not None and not heads:
        raise CommandError(f"this model has no heads in a layer {arguments.layer}")
    return heads


def to_json(inspection: "Inspection", heads: Sequence[Head]) -> dict[str, Any]:
    """Return tokens and the heads' weights as JSON can hold them; a list is [head][query][key].

    Beside it "heads" lists the number of each of these heads.
    """
    from ..tokenizer.tokenizer import token_texts

    by_site = {site: list(found) for site, found in groupby(heads, lambda head: head.site)}
    return {
        "source": {"tokens": token_texts(inspection.source_tokens)},
        "target": {
            "fed": token_texts(inspection.fed_tokens),
            "predicted": token_texts(inspection.predicted_tokens),
        },
        "attention": {
            str(site): {
                "heads": [head.index for head in of_site],
                "weights": [inspection.weights_of(head).tolist() for head in of_site],
                "visible": inspection.attention[site].visible_QK.tolist(),
            }
            for site, of_site in by_site.items()
        },
    }


def _largest_weights(inspection: "Inspection", heads: Sequence[Head]) -> dict[str, list[object]]:
    """Return a row for each query of each head: the key with the largest weight."""
    columns: dict[str, list[object]] = {"head": [], "query": [], "key": [], "weight": []}
    for head in heads:
        queries, keys = map(inspection.tokens_of, head.kind.sides)
        for query, row_K in zip(queries, inspection.weights_of(head).tolist(), strict=True):
            best = max(range(len(row_K)), key=row_K.__getitem__)
            row = (head, query.text, keys[best].text, row_K[best])
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
    return columns
