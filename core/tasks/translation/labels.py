"""Labels for English sentences of the grammar: a tag for each word, or one for the sentence.

Sources are words alone, in small letters and without punctuation.
"""

import random
import re
from abc import abstractmethod

from ...messages import N_
from ...tokenizer.word_level import Vocabulary
from ..task import Drawn, Example, Sample
from .clauses import WHEN, action, say_connector
from .draft import Draft
from .lexicon import ADJECTIVES, NOUNS, VERBS, Kind
from .names import VOCABULARY
from .patterns import DECLARATIVE, MOODS, PATTERNS
from .phrases import NounPhrase
from .recognition import derivations
from .spelling import english_text
from .split import is_held_out

NAME = "NNP"
_TAGS_OF = {
    "DT": "the a some any",
    "CC": "and but",
    "IN": "because",
    "WRB": "when why",
    "WP": "who",
    "WDT": "that",
    "PRP": "he she it they",
    "RB": "very too not",
    "RP": " ".join({particle for verb in VERBS for particle in verb.base.split()[1:]}),
    "VBD": "did didn't was were wasn't weren't",
    "VBZ": "does doesn't is isn't",
    "VBP": "do don't are aren't",
    "JJ": " ".join(adjective.english for adjective in ADJECTIVES),
    "NN": " ".join(noun.english[False] for noun in NOUNS),
    "NNS": " ".join(noun.english[True] for noun in NOUNS),
}
"""Tag of the Penn Treebank → words that have no other. Contracted forms have that of the verb."""
_TAG = {word: tag for tag, words in _TAGS_OF.items() for word in words.split()}
TAGS = (*_TAGS_OF, "VB", NAME)
SINGULAR, PLURAL = "SINGULAR", "PLURAL"
_WORD = re.compile(r"[^\s.,?]+")
_N_FREE = 8
"""Free names, for unknown words."""


class _Labelled(Drawn):
    """A task whose target is labels of the source."""

    pronouns: frozenset[str] = frozenset()

    @abstractmethod
    def say(self, draft: Draft) -> str:
        """Say a sentence, and return its labels."""

    def draw(self, draft: Draft) -> Sample:
        draft.marks = False
        labels = self.say(draft)
        return Sample(english_text(draft.english)[0].lower(), labels)

    def sample(self, rng: random.Random) -> Sample:
        return self.draw(Draft(rng))

    def held_out(self, sample: Sample) -> bool:
        """Say whether a noun pair of the sentence is held out."""
        return is_held_out(sample.source)

    def makes(self, source: str) -> bool:
        """Say whether the task draws this sentence."""
        return self.reference(source) is not None

    def reference(self, source: str) -> str | None:
        """Return the labels of a sentence; None for one that the task does not draw."""
        words = " ".join(_WORD.findall(source.lower()))
        targets = {sample.target for sample in derivations(words, self.draw)}
        return targets.pop() if len(targets) == 1 else None


class Tagging(_Labelled):
    """`the dogs cross the street` → `DT NNS VBP DT NN`, the part of speech of each word.

    The tags are those of the Penn Treebank. The base form of a verb has two, which only the other
    words tell: VBP where it is in the present, VB where it is an infinitive (`do the dogs cross
    the street`). All other words have one.
    """

    name = "tag"
    form = N_("a sentence of the grammar without names")
    examples: tuple[Example, ...] = (
        Example(N_("present"), "The dogs cross the street."),
        Example(N_("a question"), "Do the dogs cross the street?"),
        Example(N_("tired"), "The animal didn't cross the street because it was too tired."),
    )
    vocabulary = Vocabulary((*sorted(VOCABULARY), *TAGS), (), _N_FREE)

    def say(self, draft: Draft) -> str:
        """Say any sentence, half of them in the present, and return its tags."""
        draft.present = draft.chance(0.5)
        draft.choose(PATTERNS)(draft)
        words = enumerate(draft.english)
        return " ".join(draft.verb_tags.get(at) or _TAG.get(word, NAME) for at, word in words)

    def sample(self, rng: random.Random) -> Sample:
        """Draw a sentence without names."""
        while True:
            sample = super().sample(rng)
            if NAME not in sample.target.split():
                return sample


class Classifying(_Labelled):
    """`the kings followed the queen` → `PLURAL`, the number of the main clause's subject.

    Subject-verb agreement (Linzen et al. 2016) without the verb's help: it is in the past. Each
    sentence has a singular and a plural noun that could change places, so that its words alone,
    in any order, do not tell the class.
    """

    name = "classify"
    form = N_("a sentence in the past with two nouns, one in the singular and one in the plural")
    examples: tuple[Example, ...] = (
        Example(N_("plural"), "The kings followed the queen."),
        Example(N_("singular"), "The queen followed the kings."),
        Example(N_("two clauses"), "When the kings arrived, the queen slept."),
    )
    vocabulary = Vocabulary((*sorted(VOCABULARY), SINGULAR, PLURAL), (), _N_FREE)

    def say(self, draft: Draft) -> str:
        """Say a sentence of one clause or two, and return the number of its subject."""
        kind, plural = draft.choose((Kind.PERSON, Kind.ANIMAL)), draft.chance(0.5)
        subject, other = (NounPhrase(kind, each, indefinite=0.0) for each in (plural, not plural))
        match draft.choose(("object", "before", "after")):
            case "object":
                action(draft, draft.choose(MOODS), subject, other)
            case "before":
                say_connector(draft, WHEN, first=True)
                action(draft, draft.choose(DECLARATIVE), other)
                action(draft, draft.choose(DECLARATIVE), subject)
            case "after":
                action(draft, draft.choose(DECLARATIVE), subject)
                say_connector(draft, WHEN)
                action(draft, draft.choose(DECLARATIVE), other)
        return PLURAL if plural else SINGULAR
