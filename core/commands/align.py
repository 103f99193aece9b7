"""Say which source word made which target word, in a file of pairs."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..tasks import TASKS
from ..tasks.columns import Reading
from ..tasks.pairs import read_pair_files
from ..tokenizer.words import spaced_spans, word_spans
from .options import CommandError, add_columns, run_folder

if TYPE_CHECKING:
    from ..evaluate.word_links import GoldLinks, LinkQuality
    from ..runs.run import Run
    from ..studies.alignment import Alignment, Choice, Words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run, the pairs, and what the links are compared with."""
    add = parser.add_argument
    add("run", type=run_folder, metavar="RUN", help="such as gallery/everyday")
    add(
        "--file",
        type=Path,
        nargs="+",
        required=True,
        metavar="PAIRS",
        help="a file of pairs, or two files of lines that belong together",
    )
    add_columns(parser)
    add(
        "--gold",
        type=Path,
        metavar="FILE",
        help="a line of links for each pair, sure ones as 0-0, possible ones as 1?2: every other "
        "pair chooses the heads, the rest measures them",
    )
    add(
        "--reverse",
        type=run_folder,
        metavar="RUN",
        help="a model of the other direction: join both",
    )
    add(
        "--spaces",
        action="store_true",
        help="a word is what stands between spaces, for texts that are cut into words already",
    )
    add("--pharaoh", type=Path, metavar="OUT", help="write the links to a file, a line for a pair")
    add("--json", action="store_true", help="words, links and their probabilities")


def run(arguments: argparse.Namespace) -> None:
    """Choose heads, link the words of all pairs, and print or write the links."""
    if len(arguments.file) > 2:
        raise CommandError("--file takes one file of pairs, or two files of lines")
    from ..runs.run import load_run
    from ..studies.alignment import Words, aligned, aligned_both_ways, measured

    loaded = load_run(arguments.run)
    reading = replace(arguments.columns or Reading(), strict=True)
    cut = spaced_spans if arguments.spaces else word_spans
    words = [Words.of(each, cut) for each in read_pair_files(arguments.file, reading).rows]
    gold = _gold(arguments, len(words))
    choice = _choice(loaded, words, gold)
    found = aligned(loaded, words, choice.aligner)
    if n := sum(len(each.links) < len(each.words.target) for each in found):
        print(f"warning: pairs with words beyond the model's positions: {n:,}", file=sys.stderr)
    report = choice_json(choice)
    if arguments.reverse is not None:
        other, found = aligned_both_ways(found, load_run(arguments.reverse))
        report["reverse"] = other.name
        if gold is not None:
            links = [set(each.links) for each in found]
            both = measured(words[1::2], links[1::2], gold[1::2])
            report["both_directions"] = asdict(both)
    if arguments.pharaoh is not None:
        _write(arguments.pharaoh, found)
    if arguments.json:
        print(json.dumps(report | {"pairs": [_pair(each) for each in found]}, ensure_ascii=False))
        return
    print(*_told(choice, report), sep="\n", file=sys.stderr)
    if arguments.pharaoh is None:
        print(*map(_line, found), sep="\n")


def _gold(arguments: argparse.Namespace, n: int) -> "list[GoldLinks] | None":
    if arguments.gold is None:
        return None
    from ..evaluate.word_links import read_gold

    gold = read_gold(arguments.gold)
    if len(gold) != n:
        raise CommandError(f"{arguments.gold} has {len(gold)} lines, and there are {n} pairs")
    if n < 2 or not all(any(each.sure for each in gold[first::2]) for first in (0, 1)):
        raise CommandError(f"{arguments.gold} needs sure links in two pairs, one after the other")
    return gold


def _choice(
    loaded: "Run", words: "Sequence[Words]", gold: "Sequence[GoldLinks] | None"
) -> "Choice":
    """Choose by the gold links, by those of the run's own task, or by agreement in the file."""
    from ..studies.alignment import N_SENTENCES, choose_aligner, chosen

    if gold is None and loaded.settings.task in TASKS:
        return choose_aligner(loaded)
    return chosen(loaded, words if gold else words[:N_SENTENCES], gold)


def choice_json(choice: "Choice") -> dict[str, Any]:
    """Return what is known of the chosen heads as JSON can hold it."""
    figures = {name: getattr(choice, name) for name in ("quality", "diagonal", "first_head")}
    return {
        "heads": [str(head) for head in choice.aligner.heads],
        "row": choice.aligner.row,
        "agreement": choice.best.agreement,
        "chosen_on": choice.n,
        **{name: found and asdict(found) for name, found in figures.items()},
    }


def _write(path: Path, found: "Sequence[Alignment]") -> None:
    """Write the links of each pair on a line, in the format of Pharaoh."""
    from ..evaluate.word_links import written_links

    lines = [f"{written_links(each.links)}\n" for each in found]
    path.write_text("".join(lines), encoding="utf-8")


def _pair(found: "Alignment") -> dict[str, Any]:
    table = found.table()
    links = zip(*(table[name] for name in ("source", "target", "probability")), strict=True)
    words = found.words
    return {"source": words.source_texts, "target": words.target_texts, "links": list(links)}


def _line(found: "Alignment") -> str:
    """Return the links of a pair in words."""
    table = found.table()
    pairs = zip(table["source_word"], table["target_word"], strict=True)
    return " ".join(f"{source}–{target}" for source, target in pairs)


def _told(choice: "Choice", report: dict[str, Any]) -> list[str]:
    """Return which heads were chosen, and how well they align, as lines to read."""
    from ..evaluate.intervals import Ratio
    from ..evaluate.word_links import LinkQuality

    lines = [f"heads: {choice.aligner.name}, chosen among {len(choice.tried)} on {choice.n} pairs"]
    if "reverse" in report:
        lines.append(f"and of the other direction: {report['reverse']}")
    if choice.quality is None or choice.diagonal is None or choice.first_head is None:
        lines.append(f"rows and columns agree in {choice.best.agreement:.1%} of the links")
        return lines
    lines += [
        _quality("these heads", choice.quality),
        _quality("the first head of the last layer", choice.first_head),
        _quality("no model, the diagonal", choice.diagonal),
        f"on {choice.quality.n} other pairs, punctuation not counted",
    ]
    if both := report.get("both_directions"):
        ratios = {name: Ratio(**both[name]) for name in ("aer", "precision", "recall")}
        lines.insert(-1, _quality("both directions", LinkQuality(**ratios)))
    return lines


def _quality(name: str, quality: "LinkQuality") -> str:
    figures = {"AER": quality.aer, "precision": quality.precision, "recall": quality.recall}
    written = [
        f"{figure} {ratio.value:.1%} [{ratio.low:.1%}, {ratio.high:.1%}]"
        for figure, ratio in figures.items()
    ]
    return f"{name}: {', '.join(written)}"
