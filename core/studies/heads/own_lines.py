"""Which heads look where in lines of text that somebody gives: the roles that need no task.

The same roles as on random tokens that repeat, where a text has them: a token may stand in a line
three times, so that a row may be asked for several keys, and its weights on them are added. The
mean is over rows; the interval is that of a ratio over lines, as rows of one line are not
independent. B batch, H heads, Q queries, K keys, N lines.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.evaluate.intervals import mean_difference
from core.heads import Head, Kind, Site
from core.messages import Message
from core.model import Probe, Record, Step
from core.runs.own_text import lines_of
from core.runs.run import Run
from core.studies.heads.repeated_row import RoleRow, middle_row
from core.studies.heads.repeated_text import TextRoles, TextScore, read
from core.studies.heads.repeated_tokens import TextRole

Wanted = NDArray[np.bool_]


def wanted_keys(ids: Sequence[int], *, causal: bool) -> dict[TextRole, Wanted]:
    """Return wanted_QK for each role: the keys that a row is asked for, of those that it may see.

    >>> wanted_keys([5, 6, 5], causal=True)[TextRole.INDUCTION].astype(int).tolist()
    [[0, 0, 0], [0, 0, 0], [0, 1, 0]]
    """
    ids_K, n = np.array(ids), len(ids)
    at_Q1, at_1K = np.arange(n)[:, None], np.arange(n)[None]
    visible_QK = at_1K <= at_Q1 if causal else np.ones((n, n), np.bool_)
    same_QK = ids_K[:, None] == ids_K[None]
    after_QK = np.zeros((n, n), np.bool_)
    # Key k follows key k − 1, which has to be the row's token at another place.
    after_QK[:, 1:] = (same_QK & (at_Q1 != at_1K))[:, :-1]
    found = {
        TextRole.PREVIOUS: at_1K == at_Q1 - 1,
        TextRole.FIRST: (at_1K == 0) & (at_Q1 > 0),
        TextRole.ITSELF: at_1K == at_Q1,
        TextRole.DUPLICATE: same_QK & (at_1K != at_Q1),
        TextRole.INDUCTION: after_QK,
    }
    several_Q1 = visible_QK.sum(axis=1, keepdims=True) >= 2
    return {role: wanted_QK & visible_QK & several_Q1 for role, wanted_QK in found.items()}


@dataclass(frozen=True)
class LineShares:
    """A probe that keeps of every map no more than the weight on the keys of each role."""

    wanted: Mapping[Kind, Mapping[TextRole, Tensor]]
    """wanted_QK of the line that is read."""
    found: dict[tuple[TextRole, Site], Tensor] = field(default_factory=dict)
    """sums_H over the rows that are asked."""

    def sees(self, site: Site) -> bool:
        """Self-attention of these kinds."""
        return site.is_attention and site.attention in self.wanted

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Add up the weights on the keys of each role, and let them pass."""
        if step is Step.WEIGHTS:
            for role, wanted_QK in self.wanted[site.attention].items():
                sums_H = (tensor.detach()[0].double() * wanted_QK).sum(dim=(1, 2))
                self.found[role, site] = sums_H.cpu()
        return tensor


def roles_on_lines(run: Run) -> TextRoles:
    """Return what every head of self-attention does in the lines that a run was given.

    Roles that no row of any line is asked for have no scores.
    """
    return measure_lines(run, lines_as_ids(run))


def measure_lines(run: Run, lines: Sequence[tuple[int, ...]]) -> TextRoles:
    """Return the same for lines of token ids."""
    sums: dict[tuple[TextRole, Head], list[float]] = {}
    rows: dict[tuple[TextRole, Kind], list[tuple[int, float]]] = {}
    for ids in lines:
        wanted = _wanted(run, ids)
        for kind, of_kind in wanted.items():
            n_visible_Q = np.arange(1, len(ids) + 1) if kind.causal else len(ids)
            for role, wanted_QK in of_kind.items():
                chance_Q = wanted_QK.sum(axis=1) / n_visible_Q
                asked = int(wanted_QK.any(axis=1).sum()), float(chance_Q.sum())
                rows.setdefault((role, kind), []).append(asked)
        probe = LineShares(_as_tensors(run, wanted))
        _read(run, ids, probe)
        for (role, site), sums_H in probe.found.items():
            for head in site.heads(run.model.config.n_heads):
                sums.setdefault((role, head), []).append(float(sums_H[head.index]))
    scores: dict[TextRole, dict[Head, TextScore]] = {role: {} for role in TextRole}
    for (role, head), of_lines in sums.items():
        if any(n for n, _ in rows[role, head.kind]):
            scores[role][head] = _score(of_lines, rows[role, head.kind])
    return TextRoles({role: found for role, found in scores.items() if found})


def row_in_lines(run: Run, role: TextRole, head: Head) -> RoleRow:
    """Return the row of a head that gives a role its median weight in the lines of a run.

    Args:
        run: With lines, of which some row is asked for the role.
        role: Which.
        head: Of self-attention.
    """
    rows: list[RoleRow] = []
    for ids in lines_as_ids(run):
        record = Record(frozenset({Step.WEIGHTS, Step.VISIBLE}), frozenset({head.site}))
        _read(run, ids, record)
        weights_QK = record.weights(head.site)[0, head.index].cpu().numpy()
        visible_QK = record.tensors[head.site, Step.VISIBLE].cpu()[0].expand(weights_QK.shape)
        wanted_QK = _wanted(run, ids)[head.kind][role]
        for query in np.flatnonzero(wanted_QK.any(axis=1)):
            # Of several keys it is the one with the largest weight that is shown.
            key = int(np.where(wanted_QK[query], weights_QK[query], -1).argmax())
            visible_K = visible_QK[query].numpy()
            rows.append(RoleRow(ids, int(query), key, weights_QK[query], visible_K))
    return middle_row(rows)


def lines_as_ids(run: Run) -> list[tuple[int, ...]]:
    """Return the lines that a run was given, as `as_ids` does.

    Raises:
        ValueError: There is none of two tokens or more.
    """
    return as_ids(run, lines_of(run.path))


def as_ids(run: Run, texts: Sequence[str], longest: int | None = None) -> list[tuple[int, ...]]:
    """Return texts of two tokens or more as a model of one stack reads them.

    Args:
        run: The model's.
        texts: Cut where it has no more positions.
        longest: They have no more tokens than that, either.

    Raises:
        ValueError: There is none of two tokens or more.
    """
    config, tokenizer = run.model.config, run.tokenizer
    ends = () if config.is_decoder_alone else tokenizer.ends
    most = min(longest or config.max_positions, config.max_positions) - len(ends)
    found = [(*(*tokenizer.begins, *tokenizer.encode(text).ids)[:most], *ends) for text in texts]
    long_enough = [ids for ids in found if len(ids) >= 2]
    if not long_enough:
        raise ValueError(Message("No line has two tokens."))
    return long_enough


def _wanted(run: Run, ids: Sequence[int]) -> dict[Kind, dict[TextRole, Wanted]]:
    """Return wanted_QK by kind and role; what stands around a line is not asked."""
    config = run.model.config
    begins = len(run.tokenizer.begins)
    text_Q = np.zeros((len(ids), 1), np.bool_)
    text_Q[begins : len(ids) - (len(run.tokenizer.ends) if config.n_encoder_layers else 0)] = True
    return {
        kind: {
            role: wanted_QK & text_Q
            for role, wanted_QK in wanted_keys(ids, causal=kind.causal).items()
        }
        for kind in dict.fromkeys(site.attention for site in run.model.sites() if site.is_self)
    }


def _as_tensors(
    run: Run, wanted: Mapping[Kind, Mapping[TextRole, Wanted]]
) -> dict[Kind, dict[TextRole, Tensor]]:
    return {
        kind: {
            role: torch.from_numpy(wanted_QK).to(run.model.device)
            for role, wanted_QK in of_kind.items()
        }
        for kind, of_kind in wanted.items()
    }


def _read(run: Run, ids: Sequence[int], probe: Probe) -> None:
    [stack] = run.model.config.stacks
    read(run.model, {stack: torch.tensor([ids], device=run.model.device)}, probe)


def _score(sums_N: Sequence[float], rows: Sequence[tuple[int, float]]) -> TextScore:
    asked_N, chance_N = np.array(rows, np.float64).T
    found = mean_difference(np.zeros(len(asked_N)), np.array(sums_N), asked_N)
    n_rows = int(asked_N.sum())
    return TextScore(
        share=found.after,
        baseline=float(chance_N.sum()) / n_rows,
        interval=(max(found.low, 0.0), min(found.high, 1.0)),
        n_rows=n_rows,
        n_sequences=int((asked_N > 0).sum()),
    )
