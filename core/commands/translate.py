"""Translate a sentence with a trained run, step by step if asked, or all lines of a file."""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import torch

from core.commands import options
from core.commands.options import CommandError
from core.commands.progress import progress_printer
from core.config.checks import LARGEST_SIZE
from core.decoding.beam import LARGEST_BEAM, LARGEST_PENALTY, Beam
from core.decoding.choosing import TEMPERATURES, Greedy, Sampling
from core.decoding.generate import Forced, Method, decode
from core.decoding.many import Translated, translate_all
from core.decoding.mask_predict import MOST_PASSES, MaskPredict
from core.decoding.parallel import SentencePass, passes_of
from core.decoding.sentence import Translation, model_input, read_written
from core.decoding.step import DecodeStep
from core.runs.run import Run, load_run
from core.tasks.columns import tidy

LINES_AT_ONCE = 2000
"""The number of lines that are sorted by length together, and written when all are done."""
_LINE_END = r"\r\n|\r|\n"
SHOWN = 10
"""The number of the most probable tokens that are shown for each step."""
SAMPLING = ("temperature", "top_k", "top_p", "seed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run, a sentence, and how to decode; greedily by default."""
    add = parser.add_argument
    add("run", type=Path, metavar="RUN", help="such as gallery/translate")
    add("sentence", nargs="?", metavar="SENTENCE")
    add("--file", type=Path, metavar="LINES", help="translate its lines instead")
    add("--out", type=Path, metavar="FILE", help="where to; default: the terminal")
    add("--beam", type=options.whole(1, LARGEST_BEAM), metavar="K", help="keep the K best prefixes")
    add(
        "--length-penalty",
        type=options.number(0, LARGEST_PENALTY),
        metavar="A",
        default=0.6,
        help="of a beam",
    )
    add("--sample", action="store_true", help="draw from the distribution")
    add("--temperature", type=options.number(*TEMPERATURES), metavar="T", help="default: 1")
    add("--top-k", type=options.whole(0, 2**24), metavar="K", help="default: 0, all")
    add("--top-p", type=options.number(0, 1), metavar="P", help="default: 1, all")
    add("--seed", type=options.seed, metavar="S", help="default: 0")
    add(
        "--passes",
        type=options.whole(1, MOST_PASSES),
        metavar="K",
        help="of a parallel decoder; default: 4",
    )
    add(
        "--max-new-tokens",
        type=options.whole(1, LARGEST_SIZE),
        metavar="N",
        help="stop after N tokens; default: what the learned pairs suggest, or 24 after a prompt",
    )
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
    loaded = load_run(arguments.run)
    given = model_input(loaded, arguments.sentence)
    if not given.prompt:
        raise CommandError("this model has no decoder: it writes nothing; see `inspect`")
    how = method(arguments, loaded)
    if isinstance(how, MaskPredict):
        passes = passes_of(loaded, arguments.sentence, how.passes)
        written, name = passes[-1].written, "passes"
        details = [_pass_to_json(loaded, each) for each in passes]
        lines = [f"{n:>3}  {_pass_line(loaded, each)}" for n, each in enumerate(passes)]
    else:
        limit = arguments.max_new_tokens
        steps = decode(
            loaded.model, given.source_ids, how, prompt=given.prompt, max_new_tokens=limit
        )
        written, name = tuple(step.chosen for step in steps), "steps"
        details = [to_json(loaded, step) for step in steps]
        lines = [line(loaded, step) for step in steps]
    translation = read_written(loaded, given, written)
    warn(translation)
    if arguments.json:
        answer: dict[str, Any] = {"source": translation.source, "translation": translation.text}
        print(json.dumps(answer | ({name: details} if arguments.steps else {}), ensure_ascii=False))
        return
    for text in (translation.text, *(lines if arguments.steps else ())):
        print(text)


def _pass_to_json(loaded: Run, found: SentencePass) -> dict[str, Any]:
    """Return one pass: what stands at each place, how probable it was, and what was predicted."""
    return {
        "said": [text_of(loaded, token) for token in found.token_ids],
        "probabilities": list(found.probabilities),
        "masked": list(found.masked),
    }


def _pass_line(loaded: Run, found: SentencePass) -> str:
    """Return one pass as a line to read: [what it predicted] among what stood."""
    places = zip(found.written, found.probabilities, found.masked, strict=False)
    return " ".join(
        f"[{text_of(loaded, token)} {share:.2f}]" if masked else text_of(loaded, token)
        for token, share, masked in places
    )


def translate_file(arguments: argparse.Namespace) -> None:
    """Translate line by line; what is written so far is whole lines, in their order.

    Raises:
        KeyboardInterrupt: It was stopped; how many lines are written was said.
    """
    _check_file_options(arguments)
    loaded = load_run(arguments.run)
    lines = _lines(arguments.file)
    beam = 1 if arguments.beam is None else arguments.beam
    tell = progress_printer("translated", len(lines))
    n_written = n_cut = 0
    with _opened(arguments.out) as out:
        try:
            for start in range(0, len(lines), LINES_AT_ONCE):
                some = lines[start : start + LINES_AT_ONCE]
                found: list[Translated] = []
                for batch in translate_all(
                    loaded, some, beam, arguments.length_penalty, arguments.passes
                ):
                    found += batch
                    tell(start + len(found))
                found.sort(key=lambda each: each.index)
                n_cut += sum(each.cut for each in found)
                # Nothing keeps a model from writing a line end, which would shift what follows.
                out.writelines(f"{re.sub(_LINE_END, ' ', each.text)}\n" for each in found)
                out.flush()
                n_written += len(found)
        except KeyboardInterrupt:
            print(f"stopped: {n_written:,} of {len(lines):,} lines are written", file=sys.stderr)
            raise
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
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{path}: not UTF-8; save the file as UTF-8 and try again") from error
    # Not splitlines: it also breaks at signs that may stand within a text.
    lines = re.split(_LINE_END, text)
    return [tidy(line) for line in (lines[:-1] if lines[-1] == "" else lines)]


@contextmanager
def _opened(path: Path | None) -> Iterator[TextIO]:
    """Open a file to write lines into; without one it is standard output."""
    if path is None:
        yield sys.stdout
        return
    try:
        with path.open("w", encoding="utf-8") as file:
            yield file
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error


def method(arguments: argparse.Namespace, loaded: Run) -> Method | MaskPredict:
    """Return how to decode; two ways at once are refused."""
    ways = options.chosen(arguments, "beam", "sample", "force", "passes")
    if len(ways) > 1:
        raise CommandError(f"choose one of {' and '.join(ways)}")
    if arguments.passes is not None:
        return MaskPredict(arguments.passes)
    if arguments.force is not None:
        ids = loaded.target_tokenizer.encode(arguments.force).ids
        longest = loaded.settings.model.max_positions - 1
        if len(ids) > longest:
            raise CommandError(f"the target has {len(ids)} tokens, the model room for {longest}")
        return Forced(ids)
    if arguments.beam is not None:
        return Beam(arguments.beam, arguments.length_penalty)
    if arguments.sample:
        settings = {name: getattr(arguments, name) for name in SAMPLING}
        return Sampling(**{name: each for name, each in settings.items() if each is not None})
    return MaskPredict() if loaded.model.config.is_parallel else Greedy()


def to_json(loaded: Run, step: DecodeStep) -> dict[str, Any]:
    """Return one step: what went in, what came out, and the most probable tokens."""
    return {
        "prefix": [token.text for token in loaded.target_tokenizer.describe(step.prefix)],
        "chosen": text_of(loaded, step.chosen),
        "top": [[text_of(loaded, token), share] for token, share in top(step)],
    }


def line(loaded: Run, step: DecodeStep) -> str:
    """Return one step as a line to read."""
    best = "  ".join(f"{text_of(loaded, token)} {share:.3f}" for token, share in top(step)[:3])
    return f"{len(step.prefix) - 1:>3}  → {text_of(loaded, step.chosen):<16} {best}"


def top(step: DecodeStep) -> list[tuple[int, float]]:
    """Return the most probable tokens with their probabilities, best first."""
    shares, tokens = torch.topk(step.probabilities, min(SHOWN, len(step.logits_V)))
    return list(zip(tokens.tolist(), shares.tolist(), strict=True))


def text_of(loaded: Run, token: int) -> str:
    """Return a token as people read it."""
    return loaded.target_tokenizer.describe([token])[0].text


def warn(translation: Translation) -> None:
    """Print on standard error that the sentence was cut, or the translation is not finished."""
    if translation.cut:
        n = len(translation.source_ids or translation.fed_ids[: translation.n_given + 1])
        print(f"warning: cut after {n} tokens, special ones counted", file=sys.stderr)
    if translation.fed_ids and not translation.finished:
        print("warning: the translation stops at the length limit", file=sys.stderr)
