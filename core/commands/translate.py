"""Translate a sentence, or continue a text, step by step if asked, or all lines of a file."""

import argparse
import json
import re
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..config.checks import LARGEST_SIZE
from ..decoding.bounds import (
    CONTINUATION,
    LARGEST_BEAM,
    LARGEST_PENALTY,
    MOST_PASSES,
    PENALTY,
    TEMPERATURES,
)
from ..tasks.columns import tidy
from . import options
from .options import CommandError, progress_printer

if TYPE_CHECKING:
    from ..decoding.generate import DecodingStrategy
    from ..decoding.mask_predict import MaskPredict
    from ..decoding.parallel import SentencePass
    from ..decoding.sentence import ModelInput, Translation
    from ..decoding.step import DecodeStep
    from ..runs.run import Run

LINES_AT_ONCE = 2000
"""The number of lines that are sorted by length together, and written when all are done."""
_LINE_END = r"\r\n|\r|\n"
SHOWN = 10
"""The number of the most probable tokens that are shown for each step."""
SAMPLING = ("temperature", "top_k", "top_p", "seed")
_OF_DECODING = ("beam", "length_penalty", "sample", "force", "passes", "steps", "max_new_tokens")
OF_WRITING = "is for text that a model writes token by token"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run, a sentence, and how to decode; greedily by default."""
    add = parser.add_argument
    add("run", type=options.run_folder, metavar="RUN", help="such as gallery/translate")
    add("sentence", nargs="?", metavar="SENTENCE")
    add("--file", type=Path, metavar="LINES", help="translate its lines instead")
    add("--out", type=Path, metavar="FILE", help="where to; default: the terminal")
    add("--beam", type=options.whole(1, LARGEST_BEAM), metavar="K", help="keep the K best prefixes")
    add(
        "--length-penalty",
        type=options.number(0, LARGEST_PENALTY),
        metavar="A",
        help=f"of a beam; default: {PENALTY}",
    )
    add("--sample", action="store_true", help="draw from the distribution")
    add(
        "--temperature",
        type=options.number(*TEMPERATURES),
        metavar="T",
        help="of --sample; default: 1",
    )
    add("--top-k", type=options.whole(0, 2**24), metavar="K", help="of --sample; default: 0, all")
    add("--top-p", type=options.number(0, 1), metavar="P", help="of --sample; default: 1, all")
    add("--seed", type=options.seed, metavar="S", help="of --sample; default: 0")
    add(
        "--passes",
        type=options.whole(1, MOST_PASSES),
        metavar="K",
        help="of a parallel decoder; default: 4",
    )
    add(
        "--max-new-tokens",
        type=options.whole(0, LARGEST_SIZE),
        metavar="N",
        help="stop after N tokens; default: what the learned pairs suggest, or "
        f"{CONTINUATION} after a prompt",
    )
    options.add_asking(parser)
    add("--force", metavar="TARGET", help="feed this target (teacher forcing)")
    add("--steps", action="store_true", help="tell every step")
    add("--json", action="store_true")


def run(arguments: argparse.Namespace) -> None:
    """Print the translation, and its steps or passes if asked."""
    if arguments.file is not None:
        translate_file(arguments)
        return
    if arguments.sentence is None or arguments.out is not None:
        raise CommandError("a SENTENCE, or --file LINES with or without --out FILE, is needed")
    from ..decoding.sentence import model_input, read_written
    from ..runs.run import load_run

    loaded = replace(load_run(arguments.run), max_new_tokens=arguments.max_new_tokens)
    loaded = options.asked(loaded, arguments)
    given = model_input(loaded, arguments.sentence)
    if not given.prompt:
        _print_labels(arguments, loaded)
        return
    written, name, details = _decoded(arguments, loaded, given)
    translation = read_written(loaded, given, written)
    warn(loaded, translation)
    if arguments.json:
        answer: dict[str, Any] = {"source": translation.source, "translation": translation.text}
        print(json.dumps(answer | ({name: details} if arguments.steps else {}), ensure_ascii=False))
        return
    print(translation.text)
    if arguments.steps:
        for each in details:
            print("  ".join(_words(each)))


def _decoded(
    arguments: argparse.Namespace, loaded: "Run", given: "ModelInput"
) -> tuple[tuple[int, ...], str, list[dict[str, Any]]]:
    """Return the tokens that the model writes, and its "steps" or "passes" as JSON."""
    from ..decoding.generate import decode
    from ..decoding.mask_predict import MaskPredict
    from ..decoding.parallel import passes_of

    how, limit = method(arguments, loaded), loaded.max_new_tokens
    if isinstance(how, MaskPredict):
        passes = passes_of(loaded, arguments.sentence, how)
        return passes[-1].written, "passes", [_pass_to_json(loaded, each) for each in passes]
    steps = decode(loaded.model, given.source_ids, how, prompt=given.prompt, max_new_tokens=limit)
    details = [_step_to_json(loaded, step) for step in steps]
    return tuple(step.chosen for step in steps), "steps", details


def _print_labels(arguments: argparse.Namespace, loaded: "Run") -> None:
    """Print the tags or the class that an encoder alone predicts; refuse one that fills in."""
    from ..inspection import inspect_sentence

    if not loaded.model.config.labels_text:
        raise CommandError("this model has no decoder: it writes nothing; see `inspect`")
    options.refuse(arguments, (*_OF_DECODING, *SAMPLING), OF_WRITING)
    translation = inspect_sentence(loaded, arguments.sentence).translation
    warn(loaded, translation)
    answer = {"source": translation.source, "labels": translation.text}
    print(json.dumps(answer, ensure_ascii=False) if arguments.json else translation.text)


def _words(detail: dict[str, Any]) -> list[str]:
    """Return a step as its token and the three most probable, or a pass as its tokens."""
    if "said" in detail:
        return list(detail["said"])
    best = [f"{token} {share:.3f}" for token, share in detail["top"][:3]]
    return [f"→ {detail['chosen']}", *best]


def _pass_to_json(loaded: "Run", found: "SentencePass") -> dict[str, Any]:
    """Return one pass: what stands at each place, how probable it was, and what was predicted."""
    return {
        "said": [text_of(loaded, token) for token in found.token_ids],
        "probabilities": list(found.probabilities),
        "masked": list(found.masked),
    }


def translate_file(arguments: argparse.Namespace) -> None:
    """Translate line by line; what is written so far is whole lines, in their order."""
    _check_file_options(arguments)
    from ..decoding.many import Translated, translate_all
    from ..runs.run import load_run

    loaded = options.asked(load_run(arguments.run), arguments)
    lines = _lines(arguments.file)
    beam = 1 if arguments.beam is None else arguments.beam
    alpha = _alpha(arguments)
    tell = progress_printer("translated", len(lines))
    n_cut = 0
    with (
        arguments.out.open("w", encoding="utf-8")
        if arguments.out
        else nullcontext(sys.stdout) as out
    ):
        for start in range(0, len(lines), LINES_AT_ONCE):
            some = lines[start : start + LINES_AT_ONCE]
            found: list[Translated] = []
            batches = translate_all(loaded, some, beam, alpha, arguments.passes)
            for batch in batches:
                found += batch
                tell(start + len(found))
            found.sort(key=lambda each: each.index)
            n_cut += sum(each.cut for each in found)
            # Nothing keeps a model from writing a line end, which would shift what follows.
            out.writelines(f"{re.sub(_LINE_END, ' ', each.text)}\n" for each in found)
            out.flush()
    if n_cut:
        print(f"warning: lines cut to fit the model: {n_cut:,}", file=sys.stderr)


def _check_file_options(arguments: argparse.Namespace) -> None:
    """Refuse what does not go with a file."""
    names = ("sample", "force", "steps", "json", "max_new_tokens", *SAMPLING)
    refused = options.chosen(arguments, *names)
    if arguments.sentence is not None or refused:
        other = refused[0] if refused else "a SENTENCE"
        raise CommandError(
            f"--file goes with --beam, --length-penalty, --passes and --out, not with {other}"
        )
    if arguments.out and arguments.out.exists() and arguments.out.samefile(arguments.file):
        raise CommandError(f"{arguments.out}: --out would overwrite the sentences; name another")


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CommandError(f"{path}: not UTF-8; save the file as UTF-8 and try again") from error
    # Not splitlines: it also breaks at signs that may stand within a text.
    lines = re.split(_LINE_END, text)
    return [tidy(line) for line in (lines[:-1] if lines[-1] == "" else lines)]


def method(arguments: argparse.Namespace, loaded: "Run") -> "DecodingStrategy | MaskPredict":
    """Return how to decode; two ways at once are refused."""
    from ..decoding.beam import Beam
    from ..decoding.choosing import Greedy, Sampling
    from ..decoding.generate import Forced
    from ..decoding.mask_predict import MaskPredict

    _check_ways(arguments, loaded)
    alpha = _alpha(arguments)
    if arguments.passes is not None:
        return MaskPredict(arguments.passes)
    if arguments.force is not None:
        ids = loaded.target_tokenizer.encode(arguments.force).ids
        longest = loaded.settings.model.max_positions - len(loaded.begins)
        if len(ids) > longest:
            raise CommandError(f"the target has {len(ids)} tokens, the model room for {longest}")
        return Forced(ids)
    if arguments.beam is not None:
        return Beam(arguments.beam, alpha)
    if arguments.sample:
        settings = {name: getattr(arguments, name) for name in SAMPLING}
        return Sampling(**{name: each for name, each in settings.items() if each is not None})
    return MaskPredict() if loaded.model.config.is_parallel else Greedy()


def _check_ways(arguments: argparse.Namespace, loaded: "Run") -> None:
    """Refuse two ways at once, and options of another way."""
    ways = options.chosen(arguments, "beam", "sample", "force", "passes")
    if len(ways) > 1:
        raise CommandError(f"choose one of {' and '.join(ways)}")
    if not arguments.sample:
        options.refuse(arguments, SAMPLING, "is for --sample")
    if loaded.model.config.is_parallel or ways in (["--force"], ["--passes"]):
        options.refuse(arguments, ("max_new_tokens",), OF_WRITING)


def _alpha(arguments: argparse.Namespace) -> float:
    """Return the exponent of the length penalty, which is refused without a beam."""
    if arguments.beam is None:
        options.refuse(arguments, ("length_penalty",), "is for --beam")
    return PENALTY if arguments.length_penalty is None else float(arguments.length_penalty)


def _step_to_json(loaded: "Run", step: "DecodeStep") -> dict[str, Any]:
    """Return one step: what went in, what came out, and the most probable tokens."""
    shares, tokens = step.probabilities.topk(min(SHOWN, len(step.logits_V)))
    top = zip(tokens.tolist(), shares.tolist(), strict=True)
    return {
        "prefix": [token.text for token in loaded.target_tokenizer.describe(step.prefix)],
        "chosen": text_of(loaded, step.chosen),
        "top": [[text_of(loaded, token), share] for token, share in top],
    }


def text_of(loaded: "Run", token: int) -> str:
    """Return a token as people read it."""
    return loaded.target_tokenizer.describe([token])[0].text


def warn(loaded: "Run", translation: "Translation") -> None:
    """Print on standard error that the sentence was cut, or the translation is not finished.

    Of a limit that the user chose nothing is printed.
    """
    if translation.cut:
        n = len(translation.source_ids or translation.fed_ids[: translation.n_given + 1])
        print(f"warning: cut after {n} tokens, special ones counted", file=sys.stderr)
    if translation.fed_ids and not translation.finished and loaded.max_new_tokens is None:
        print("warning: the translation stops at the length limit", file=sys.stderr)
