"""Translate a sentence with a trained run, step by step if asked."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import torch

from core.commands.errors import CommandError
from core.decoding.methods import Beam, Forced, Greedy, Method, decode
from core.decoding.sampling import Sampling
from core.decoding.sentence import Translation, fitting_source, read_steps
from core.decoding.step import DecodeStep
from core.runs.run import Run, load_run

SHOWN = 10
"""So many of the most probable tokens are told for each step."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run, a sentence, and how to decode; greedily by default."""
    parser.add_argument("run", type=Path, metavar="RUN", help="such as gallery/translate")
    parser.add_argument("sentence", metavar="SENTENCE")
    parser.add_argument("--beam", type=int, metavar="K", help="keep the K best prefixes")
    parser.add_argument("--length-penalty", type=float, metavar="A", default=0.6, help="of a beam")
    parser.add_argument("--sample", action="store_true", help="draw from the distribution")
    parser.add_argument("--temperature", type=float, metavar="T", default=1.0)
    parser.add_argument("--top-k", type=int, metavar="K", default=0)
    parser.add_argument("--top-p", type=float, metavar="P", default=1.0)
    parser.add_argument("--seed", type=int, metavar="S", default=0)
    parser.add_argument("--force", metavar="TARGET", help="feed this target (teacher forcing)")
    parser.add_argument("--steps", action="store_true", help="tell every step")
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> None:
    """Print the translation, and its steps if asked."""
    loaded = load_run(arguments.run)
    source_ids, cut = fitting_source(loaded, arguments.sentence)
    found = decode(loaded.model, source_ids, method(arguments, loaded))
    translation = read_steps(loaded, source_ids, found, cut)
    warn(translation, loaded.settings.model.max_positions)
    if arguments.json:
        answer: dict[str, Any] = {"source": translation.source, "translation": translation.text}
        if arguments.steps:
            answer["steps"] = [to_json(loaded, step) for step in found]
        print(json.dumps(answer, ensure_ascii=False))
        return
    print(translation.text)
    if arguments.steps:
        for step in found:
            print(line(loaded, step))


def method(arguments: argparse.Namespace, loaded: Run) -> Method:
    """Return how to decode; two ways at once are refused."""
    asked = [
        name
        for name in ("beam", "sample", "force")
        if getattr(arguments, name) not in (None, False)
    ]
    if len(asked) > 1:
        raise CommandError(f"choose one of --{' and --'.join(asked)}")
    if arguments.force is not None:
        ids = loaded.tokenizer.encode(arguments.force).ids
        longest = loaded.settings.model.max_positions - 1
        if len(ids) > longest:
            raise CommandError(f"the target has {len(ids)} tokens, the model room for {longest}")
        return Forced(ids)
    if arguments.beam is not None:
        return Beam(arguments.beam, arguments.length_penalty)
    if arguments.sample:
        return Sampling(arguments.temperature, arguments.top_k, arguments.top_p, arguments.seed)
    return Greedy()


def to_json(loaded: Run, step: DecodeStep) -> dict[str, Any]:
    """Return one step: what went in, what came out, and the most probable tokens."""
    return {
        "prefix": [token.text for token in loaded.tokenizer.describe(step.prefix)],
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
    return loaded.tokenizer.describe([token])[0].text


def warn(translation: Translation, max_positions: int) -> None:
    """Say on standard error where the sentence was cut, or the model did not come to an end."""
    if translation.cut:
        print(f"warning: cut after {max_positions - 1} tokens", file=sys.stderr)
    if not translation.finished:
        print("warning: the translation stops at the length limit", file=sys.stderr)
