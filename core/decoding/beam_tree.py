"""A beam search of a sentence as a record with a table: every prefix that it kept or dropped.

Beside it stands what greedy decoding finds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..runs.run import Run
from .beam import Beam, BeamNode, BeamStep, Hypothesis, beam_steps, beam_tree
from .many import translate_all
from .sentence import model_input

FOUND_BY_BEAM = {
    "everyday": "I eat because I'm hungry.",
    "translate": "Don't the jealous aunts go out?",
}
"""Task → a held-out sentence that a model of the gallery translates rightly with a beam only."""


@dataclass(frozen=True, slots=True)
class BeamSearch:
    """The tree that a search grows, and the texts of its prefixes."""

    nodes: tuple[BeamNode, ...]
    tokens: tuple[str, ...]
    """The text of each prefix's last token."""
    prefixes: tuple[str, ...]
    """The text of each whole prefix."""
    greedy: Hypothesis
    """What greedy decoding writes."""
    greedy_text: str

    @property
    def by_greedy(self) -> list[bool]:
        """Whether each prefix is one that greedy decoding goes through."""
        prefixes = [node.hypothesis.tokens for node in self.nodes]
        return [self.greedy.tokens[: len(prefix)] == prefix for prefix in prefixes]

    @property
    def finished(self) -> list[int]:
        """The numbers of the finished nodes that were kept, best first."""
        kept = [at for at, each in enumerate(self.nodes) if each.kept and each.hypothesis.finished]
        return sorted(kept, key=lambda at: -self.nodes[at].hypothesis.score)

    def table(self) -> Mapping[str, Sequence[object]]:
        """Return a row for each prefix, after that of the prefix that it continues."""
        hypotheses = [node.hypothesis for node in self.nodes]
        return {
            "node": list(range(len(self.nodes))),
            "parent": [node.parent for node in self.nodes],
            "step": [node.step for node in self.nodes],
            "token": self.tokens,
            "prefix": self.prefixes,
            "kept": [node.kept for node in self.nodes],
            "finished": [each.finished for each in hypotheses],
            "greedy": self.by_greedy,
            "score": [each.score for each in hypotheses],
            "log_probability": [each.log_probability for each in hypotheses],
        }


def beam_search(run: Run, sentence: str, strategy: Beam) -> BeamSearch:
    """Search for the target of a sentence, and keep the whole tree.

    Raises:
        SentenceError: There is no text.
    """
    given = model_input(run, sentence)

    def search(beam: Beam) -> list[BeamStep]:
        limit = run.max_new_tokens
        steps = beam_steps(run.model, given.source_S, beam, (), given.prompt, limit)
        return list(steps)

    nodes = tuple(beam_tree(search(strategy)))
    greedy = search(Beam(1, strategy.alpha))[-1].best
    tokenizer = run.target_tokenizer
    prefixes = [node.hypothesis.tokens for node in nodes]
    return BeamSearch(
        nodes,
        tokens=tuple(tokenizer.describe(prefix)[-1].text for prefix in prefixes),
        prefixes=tuple(map(tokenizer.decode, prefixes)),
        greedy=greedy,
        greedy_text=tokenizer.decode(greedy.tokens),
    )


def first_found_by_beam(run: Run, texts: Sequence[str], beam: int) -> str:
    """Return the first text that a beam translates otherwise than greedy decoding; "" if none."""
    greedy, searched = (
        {each.index: each.text for batch in translate_all(run, texts, n) for each in batch}
        for n in (1, beam)
    )
    return next((text for at, text in enumerate(texts) if greedy[at] != searched[at]), "")
