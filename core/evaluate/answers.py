"""What a model makes of a few sources, beside what it should make of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.batch import Ids, Pair
from core.decoding.targets import generate_targets
from core.runs.run import Run


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
    """Say greedily what a model makes of sources, all in one batch; see `generate_targets`.

    Args:
        run: The model and its tokenizer.
        pairs: Token ids of sources and true targets, as `held_out_pairs` gives them.
    """
    said = generate_targets(run.model, [Pair(*pair) for pair in pairs], run.tokenizer)
    read, decode = run.tokenizer.decode, run.target_tokenizer.decode
    return [
        Answer(read(source), decode(target), decode(ids))
        for (source, target), ids in zip(pairs, said, strict=True)
    ]
