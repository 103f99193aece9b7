"""What a model makes of a few sources, beside what it should make of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.batch import pad
from core.decoding.greedy import decode_greedily
from core.runs.run import Run

Ids = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """One source, its true target, and the model's, as text."""

    source: str
    target: str
    said: str

    @property
    def right(self) -> bool:
        """Whether the model said exactly the true target."""
        return self.said == self.target


def answers(run: Run, pairs: Sequence[tuple[Ids, Ids]]) -> list[Answer]:
    """Translate sources greedily, all in one batch.

    Args:
        run: The model and its tokenizer.
        pairs: Token ids of sources and true targets, as `held_out_pairs` gives them.
    """
    said = decode_greedily(run.model, pad([source for source, _target in pairs]))
    decode = run.tokenizer.decode
    return [
        Answer(decode(source), decode(target), decode(written))
        for (source, target), written in zip(pairs, said, strict=True)
    ]
