"""Results about one sentence with the tokens that their positions are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from ...decoding.sentence import Translation
from ...heads import Kind, Side, Stack
from ...runs.run import Run
from ..cells import Table


class Tabular(Protocol):
    """A result whose numbers are a table."""

    def table(self) -> Table:
        """Return the name of each column → its values."""


Result = TypeVar("Result", bound=Tabular)


@dataclass(frozen=True, slots=True)
class OfSentence(Generic[Result]):
    """A result with the tokens that its positions are."""

    result: Result
    tokens: Mapping[str, Sequence[str] | Mapping[int, str]]
    """Name of a column of positions, or of tokens' ids → the text of each one's token."""

    def table(self) -> Table:
        """Return the result's table with a column of tokens for each of these columns."""
        found = self.result.table()
        return found | {
            f"{name}_token": [None if at is None else texts[at] for at in found[name]]
            for name, texts in self.tokens.items()
        }


def ids_of(written: Translation, stack: Stack) -> tuple[int, ...]:
    """Return what a stack reads."""
    is_source = Kind.self_of(stack).query_side == "source"
    return written.source_ids if is_source else written.fed_ids


def texts_of(run: Run, written: Translation, stack: Stack) -> tuple[str, ...]:
    """Return the text of each token that a stack reads."""
    return described(run, Kind.self_of(stack).query_side, ids_of(written, stack))


def described(run: Run, side: Side, ids: Sequence[int]) -> tuple[str, ...]:
    """Return the text of each token of a side."""
    tokenizer = run.tokenizer if side == "source" else run.target_tokenizer
    return tuple(token.text for token in tokenizer.describe(ids))
