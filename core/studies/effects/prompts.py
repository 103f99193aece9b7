"""What silencing each head changes in prompts that have a right and a wrong continuation.

The measure is a function of one's own: from the scores of the next token to a number. The usual
one is the difference of the two continuations' logits.

    prompts = encode_prompts(run, read_prompts(Path("prompts.tsv")))
    effects = dict(effects_on_prompts(run, prompts, lambda logits_V, prompt: logits_V.max()))

K positions, N prompts, V vocabulary.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ...batch import pad
from ...decoding.sentence import model_input, reference_ids
from ...evaluate.intervals import Difference, mean_difference
from ...files import open_regular
from ...heads import Head
from ...model import Silence
from ...runs.run import Run
from ...tasks.columns import JSON_LINES, CorpusError, Layout, Row, rows_of
from ..heads.question import heads_of

COLUMNS = ("prompt", "right", "wrong")
"""Of a file with tabs; keys of one of JSON Lines."""
MOST_PROMPTS = 1000
_LARGEST = 1 << 20
"""Bytes of a file."""
_AT_ONCE = 16
"""Prompts of one pass."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text for a model, and the two tokens between which it decides."""

    text: str
    source_ids: tuple[int, ...]
    """Empty for a decoder alone."""
    fed_ids: tuple[int, ...]
    """What the decoder is fed: with what both continuations have in common."""
    right_id: int
    wrong_id: int


Metric = Callable[[Tensor, Prompt], float | Tensor]
"""Takes logits_V of the token after a prompt, and the prompt."""


def logit_difference(logits_V: Tensor, prompt: Prompt) -> Tensor:
    """Return by how much the right token's logit is above the wrong one's."""
    return logits_V[prompt.right_id] - logits_V[prompt.wrong_id]


def read_prompts(path: Path) -> tuple[Row, ...]:
    """Read a file of prompts, one on each line: with tabs, or JSON objects; see `COLUMNS`.

    Returns:
        A row of three texts for each.

    Raises:
        CorpusError: It is no such file, or a line cannot be used; the message says which.
        OSError: It cannot be read.
    """
    with open_regular(path) as file:
        content = file.read(_LARGEST + 1)
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise CorpusError("{path}: not UTF-8", path=path) from error
    if len(content) > _LARGEST or len(lines) > MOST_PROMPTS:
        raise CorpusError(
            "{path}: at most {n} prompts in {size} MiB are read",
            path=path,
            n=MOST_PROMPTS,
            size=_LARGEST >> 20,
        )
    is_json = lines[:1] and lines[0].lstrip().startswith("{")
    has_header = lines[:1] == ["\t".join(COLUMNS)]
    layout = Layout(JSON_LINES if is_json else "\t", COLUMNS, has_header, (0, 1))
    rows = tuple(rows_of(lines, layout))
    if not rows:
        raise CorpusError("{path}: there is no prompt in it", path=path)
    for row in rows:
        if len(row.texts) != len(COLUMNS) or not all(row.texts):
            raise CorpusError(
                "line {line}: a prompt, a right and a wrong continuation are needed, between tabs "
                "or as the keys prompt, right and wrong",
                line=row.line,
            )
    return rows


def encode_prompts(run: Run, rows: Iterable[Row]) -> tuple[Prompt, ...]:
    """Return the prompts of a file as tokens of a model with a decoder.

    Raises:
        CorpusError: No token decides between the continuations, or a prompt is too long.
    """
    return tuple(_prompt(run, row) for row in rows)


def _prompt(run: Run, row: Row) -> Prompt:
    text, right, wrong = row.texts
    given = model_input(run, text)
    both = [reference_ids(run, given, each) for each in (right, wrong)]
    differing = [at for at, (one, other) in enumerate(zip(*both, strict=False)) if one != other]
    if not differing:
        raise CorpusError(
            "line {line}: one continuation is the beginning of the other: no token decides",
            line=row.line,
        )
    fed_ids = (*given.prompt, *both[0][: differing[0]])
    if given.cut or len(fed_ids) > run.model.config.max_positions:
        raise CorpusError("line {line}: longer than the model can read", line=row.line)
    return Prompt(text, given.source_ids, fed_ids, *(each[differing[0]] for each in both))


def effects_on_prompts(
    run: Run, prompts: Sequence[Prompt], metric: Metric = logit_difference
) -> Iterator[tuple[Head, Difference]]:
    """Silence one head after the other, and yield what each changes in the mean of a measure."""
    before_N, each_N = _measured(run, prompts, metric, ()), np.ones(len(prompts))
    for head in heads_of(run.model):
        yield head, mean_difference(before_N, _measured(run, prompts, metric, (head,)), each_N)


@torch.inference_mode()
def _measured(
    run: Run, prompts: Sequence[Prompt], metric: Metric, silent: Sequence[Head]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the measure of each prompt with some heads silent."""
    values, probe, pad_id = [], Silence.of(silent), max(0, run.model.config.pad_id)
    for at in range(0, len(prompts), _AT_ONCE):
        some = prompts[at : at + _AT_ONCE]
        # No row sees what fills up the end of the shorter ones.
        fed_NK = pad([each.fed_ids for each in some], pad_id=pad_id)
        source_NK = pad([each.source_ids for each in some], pad_id=pad_id)
        source = source_NK.to(run.model.device) if some[0].source_ids else None
        logits_NKV = run.model(source, fed_NK.to(run.model.device), probe).float().cpu()
        values += [
            float(metric(logits_KV[len(each.fed_ids) - 1], each))
            for logits_KV, each in zip(logits_NKV, some, strict=True)
        ]
    return np.array(values, np.float64)
