"""Parallel decoding pass by pass, beside a model that writes one word after the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import streamlit as st

from core.decoding.choosing import Greedy
from core.decoding.mask_predict import (
    MOST_PASSES,
    PASSES,
    MaskPredict,
    SentencePass,
    least_sure,
    mask_predict_passes,
)
from core.decoding.sentence import passes_of, predicted_length
from core.decoding.step import DecodeStep
from core.runs.run import RunError
from pages.frame import cached, components, controls
from pages.frame.language import N_, _, n_, number
from pages.frame.opening import Opened
from pages.frame.snippets import loading, quoted
from pages.frame.view import Columns, Shown
from pages.views.decoding import passes_seen
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix

N_PASSES = "passes"
"""In the URL."""
HOW_TO_READ = N_(
    """
- A pass has **two rows**: what it reads (hatched: the masked places, which it is to fill in), and
  what stands after it. A cell's colour is the probability that the word had in the pass that wrote
  it.
- Pass 1 reads nothing but masks. Of the n places up to the first EOS, pass k + 1 of K masks the
  n (K − k) / K with the smallest probabilities again, one at least, and fills them in while it
  reads all others.
- There are more **places** than words are needed: the text ends at the first EOS. A model that
  predicts the length (length=predicted) has as many as that, with EOS at the last from the
  beginning.
- Within a pass no place sees what another one writes: p(y | x) is a product over places. So words
  that only fit together in certain ways may be mixed. Where a model of the same task that writes
  **left to right** is among the runs, its steps are beside: each word is written when all before
  it are known, which takes a pass for each.
"""
)
FORMULA = r"p(y \mid x, y_{\text{kept}}) = \prod_{t\ \text{masked}} p(y_t \mid x, y_{\text{kept}})"


@dataclass(frozen=True, slots=True)
class Beside:
    """The steps of another run, which writes one word after the other."""

    name: str
    path: Path
    steps: Sequence[DecodeStep]
    tokens: Sequence[str]
    """What they wrote."""


def draw(opened: Opened) -> Shown | None:
    """Draw what each pass reads and writes, and the steps of a causal decoder beside."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n_passes = controls.amount(_("Passes"), N_PASSES, PASSES, limits=(1, MOST_PASSES))
    passes = cached.of_run(passes_of, opened.path, opened.sentence, n_passes)
    beside = _beside(opened)
    panels = [_matrix(opened, passes)]
    if beside is not None and beside.steps:
        panels.append(_steps_matrix(beside))
    picture = components.matrices(Matrices(panels=panels), key="passes_maps")
    if beside is None:
        st.caption(
            _("No other run of this task writes left to right: its steps would stand beside.")
        )
    return Shown(
        name=f"passes.{n_passes}",
        title=n_(
            "Parallel decoding in {n} pass", "Parallel decoding in {n} passes", n_passes
        ).format(n=number(n_passes)),
        seen=passes_seen.said(opened, passes),
        numbers=lambda: _numbers(opened, passes, beside),
        python=_python(opened, n_passes, beside),
        code=(mask_predict_passes, least_sure, MaskPredict, predicted_length),
        pictures=[picture],
        formula=FORMULA,
        how_to_read=_(HOW_TO_READ),
        tries=[
            _("Set one pass, then two, four and eight: which words change, and which never?"),
            _("A row with two right targets: are its words parts of one, or of both?"),
        ],
    )


def _texts(opened: Opened, ids: Sequence[int]) -> list[str]:
    return [token.text for token in opened.run.target_tokenizer.describe_alone(ids)]


def _matrix(opened: Opened, passes: Sequence[SentencePass]) -> Matrix:
    """Return two rows for each pass: what it reads, and what stands after it."""
    n = passes_seen.n_shown(passes)
    mask = opened.run.model.config.mask_id
    values, texts, visible, rows = [], [], [], []
    before = [0.0 if hidden else 1.0 for hidden in passes[0].masked[:n]]
    for index, each in enumerate(passes):
        said, sure = each.said[:n], list(each.probabilities[:n])
        masked = each.masked[:n]
        # Before the first pass nothing stands there but the EOS of a predicted length.
        kept = (passes[index - 1] if index else each).said[:n]
        read = [mask if hidden else token for hidden, token in zip(masked, kept, strict=True)]
        values += [before, sure]
        texts += [_texts(opened, read), _texts(opened, said)]
        visible += [[not hidden for hidden in masked], [True] * n]
        names = _("pass {number} reads"), _("pass {number} writes")
        rows += [TokenLabel(name.format(number=number(index + 1))) for name in names]
        before = sure
    return Matrix(
        title=_("Parallel: all places at once"),
        values=np.array(values, np.float32),
        rows=Axis(name=_("pass"), labels=rows),
        columns=_places(n),
        visible=np.array(visible),
        texts=texts,
        hidden=_("masked, or not written yet"),
        value_name=_("probability"),
    )


def _steps_matrix(beside: Beside) -> Matrix:
    """Return a row for each step of a causal decoder: what is written after it."""
    n = len(beside.steps)
    sure = [float(np.exp(step.log_probability)) for step in beside.steps]
    written_TT = np.tril(np.ones((n, n), bool))
    return Matrix(
        title=_("The model “{run}”: left to right, a pass for each word").format(run=beside.name),
        values=(written_TT * np.array(sure)).astype(np.float32),
        rows=Axis(
            name=_("step"),
            labels=[
                TokenLabel(_("step {number} writes").format(number=number(at))) for at in range(n)
            ],
        ),
        columns=_places(n),
        visible=written_TT,
        texts=[list(beside.tokens)] * n,
        hidden=_("masked, or not written yet"),
        value_name=_("probability"),
    )


def _places(n: int) -> Axis:
    return Axis(name=_("place"), labels=[TokenLabel(number(at)) for at in range(n)])


def _beside(opened: Opened) -> Beside | None:
    """Return the first other run of the same task that writes one word after the other."""
    task = opened.run.settings.task
    for name, path in cached.run_paths().items():
        try:
            settings = cached.settings(path)
            other = settings.task == task and not settings.is_opened
            if not other or settings.model.is_parallel or not settings.model.is_encoder_decoder:
                continue
            run = cached.loaded(path)
        except RunError:
            continue
        steps = cached.decoded(path, opened.sentence, Greedy(), {})
        tokens = run.target_tokenizer.describe_alone([step.chosen for step in steps])
        return Beside(name, path, steps, [token.text for token in tokens])
    return None


def _numbers(opened: Opened, passes: Sequence[SentencePass], beside: Beside | None) -> Columns:
    """Return a row for each place of each pass, then for each step of the run beside."""
    rows: list[tuple[str, int, int, str, bool, float]] = []
    for index, each in enumerate(passes):
        texts = _texts(opened, each.said)
        places = zip(texts, each.masked, each.probabilities, strict=True)
        rows += [(opened.run.name, index + 1, at, *place) for at, place in enumerate(places)]
    if beside is not None:
        rows += [
            (beside.name, at, at, beside.tokens[at], True, float(np.exp(step.log_probability)))
            for at, step in enumerate(beside.steps)
        ]
    names = ("run", "pass", "place", "token", "masked", "probability")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _python(opened: Opened, n_passes: int, beside: Beside | None) -> str:
    imports = ["from core.decoding.sentence import passes_of"]
    lines = [
        f"sentence = {quoted(opened.sentence)}",
        f"passes = passes_of(run, sentence, {n_passes})",
        "probability = [share for each in passes for share in each.probabilities]",
    ]
    if beside is not None:
        imports += [
            "import math",
            "from core.decoding.choosing import Greedy",
            "from core.decoding.methods import decode",
            "from core.decoding.sentence import given_text",
        ]
        place = f"{beside.path.parent.name}/{beside.path.name}"
        lines += [
            f"other = load_run(Path({quoted(place)}))",
            "given = given_text(other, sentence)",
            "steps = decode(other.model, given.source_ids, Greedy())",
            "probability += [math.exp(step.log_probability) for step in steps]",
        ]
    lines += ['numbers = {"probability": probability}', ""]
    return loading(opened.path, *imports) + "\n".join(lines)
