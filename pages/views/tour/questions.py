"""Ten questions on the Transformer, `pages/texts/<language>/quiz.toml`, and the answers to them."""

from collections.abc import Sequence
from dataclasses import dataclass

from pages.frame import session, texts

OPEN = "-"
"""In the URL: a question without an answer."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with some answers, of which one is right."""

    name: str
    """In files, the same in every language."""
    question: str
    options: Sequence[str]
    right: int
    why: str

    def answer(self, figure: str) -> str:
        """Return the answer that a figure of the address stands for; empty for none."""
        at = session.position(figure, len(self.options))
        return "" if at is None else self.options[at]

    def is_right(self, figure: str) -> bool:
        """Return whether a figure of the address is the right answer."""
        return figure == str(self.right)


def questions() -> list[Question]:
    """Return the questions in the visitor's language."""
    return [Question(name, **entry) for name, entry in texts.toml("quiz").items()]


def results(asked: Sequence[Question], before: str, after: str) -> dict[str, list[str | int]]:
    """Return the columns of a file: each question, what was answered, and whether it is right."""
    columns: dict[str, list[str | int]] = {
        "question": [each.name for each in asked],
        "right_answer": [each.options[each.right] for each in asked],
    }
    for name, answers in (("before", before), ("after", after)):
        pairs = paired(asked, answers)
        columns[name] = [each.answer(figure) for each, figure in pairs]
        columns[f"{name}_is_right"] = [int(each.is_right(figure)) for each, figure in pairs]
    return columns


def paired(asked: Sequence[Question], answers: str) -> list[tuple[Question, str]]:
    """Return each question with its figure; one that the address lacks is open."""
    return list(zip(asked, answers[: len(asked)].ljust(len(asked), OPEN), strict=True))
