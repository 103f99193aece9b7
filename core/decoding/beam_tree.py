"""A beam search of a sentence as a record with a table: every prefix that it kept or dropped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.decoding.beam import Beam, BeamNode, beam_steps, beam_tree
from core.decoding.sentence import model_input
from core.runs.run import Run


@dataclass(frozen=True, slots=True)
class BeamSearch:
    """The tree that a search grows, and the texts of its prefixes."""

    nodes: tuple[BeamNode, ...]
    tokens: tuple[str, ...]
    """The text of each prefix's last token."""
    prefixes: tuple[str, ...]
    """The text of each whole prefix."""

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
            "score": [each.score for each in hypotheses],
            "log_probability": [each.log_probability for each in hypotheses],
        }


def beam_search(run: Run, sentence: str, strategy: Beam) -> BeamSearch:
    """Search for the target of a sentence, and keep the whole tree.

    Raises:
        SentenceError: There is no text.
    """
    given = model_input(run, sentence)
    steps = beam_steps(run.model, given.source_S, strategy, prompt=given.prompt)
    nodes = tuple(beam_tree(steps))
    tokenizer = run.target_tokenizer
    prefixes = [node.hypothesis.tokens for node in nodes]
    return BeamSearch(
        nodes,
        tokens=tuple(tokenizer.describe(prefix)[-1].text for prefix in prefixes),
        prefixes=tuple(map(tokenizer.decode, prefixes)),
    )
