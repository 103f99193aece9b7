"""Two texts of equal length that a model writes something after, and what it is given of both.

Patching puts what a head says in one of them into the other, token by token.
"""

from dataclasses import dataclass

from torch import Tensor

from core.batch import Ids, one_row
from core.decoding.sentence import Translation, given_text, translate
from core.decoding.step import DecodeOptions, decode_steps
from core.evaluate.exposure import first_difference
from core.messages import Message
from core.runs.run import Run


@dataclass(frozen=True, slots=True)
class Fed:
    """The tokens that a model is given."""

    source_ids: tuple[int, ...] = ()
    """None for a decoder alone."""
    target_ids: tuple[int, ...] = ()
    """From the first that is fed on; none for an encoder alone."""

    @property
    def inputs(self) -> tuple[Tensor | None, Tensor | None]:
        """What a model takes: source_1S and target_1T."""
        return one_row(self.source_ids), one_row(self.target_ids)


@dataclass(frozen=True, slots=True)
class Paired:
    """Two texts with what a model writes after each of them."""

    clean: Translation
    other: Translation
    written: tuple[Ids, Ids]
    """What it writes, its end included where it came to it."""

    @property
    def parting(self) -> int | None:
        """The first step at which other tokens are written; None where there is none."""
        return first_difference(*self.written)

    def fed(self, step: int) -> tuple[Fed, Fed]:
        """Return what writes the token of a step after each text: up to there the clean one's."""
        clean, other = (
            Fed(each.source_ids, (*each.fed_ids[: each.n_given + 1], *self.written[0][:step]))
            for each in (self.clean, self.other)
        )
        return clean, other


def paired(run: Run, clean: str, other: str, error: type[ValueError]) -> Paired:
    """Let a model write after two texts.

    Args:
        run: A loaded run with a decoder.
        clean: One text.
        other: Another one, with as many tokens.
        error: What a refusal is.

    Raises:
        SentenceError: There is no text.
        ValueError: The error: the texts differ in length.
    """
    n_clean, n_other = length(run, clean), length(run, other)
    if n_clean != n_other:
        raise error(
            Message(
                "the sentences have {n_first} and {n_second} tokens, special ones counted: "
                "patching puts each token's values in the place of another's, so both must have "
                "as many",
                n_first=n_clean,
                n_second=n_other,
            )
        )
    ends = run.model.config.eos_ids[:1]
    found = translate(run, clean), translate(run, other)
    one, two = (
        (*each.target_ids[each.n_given :], *(ends if each.finished else ())) for each in found
    )
    return Paired(*found, (one, two))


def length(run: Run, text: str) -> int:
    """Return how many tokens of a text a model is given, special ones counted.

    Raises:
        SentenceError: There is no text.
    """
    given = given_text(run, text)
    return len(given.source_ids or given.prompt)


def next_token(run: Run, text: str) -> int:
    """Return the token that a decoder alone writes first after a text.

    Raises:
        SentenceError: There is no text.
    """
    prompt = given_text(run, text).prompt
    return next(decode_steps(run.model, None, DecodeOptions(watch=False), prompt)).chosen
