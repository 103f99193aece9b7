"""Labels for English sentences of the grammar: a tag for each word, or one for the sentence."""

import random

from ...messages import N_
from ...tokenizer.word_level import Vocabulary
from ..task import Drawn, Example, Sample
from .clauses import WHEN, action, end, say_connector
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
_MARKS = frozenset(".,?")
_N_FREE = 8
"""Free names, for unknown words."""


class _Labelled(Drawn):
    """A task whose target is labels of the source."""

    pronouns: frozenset[str] = frozenset()

    def draw(self, draft: Draft) -> Sample:
        """Return any sentence with its labels."""
        raise NotImplementedError

    def sample(self, rng: random.Random) -> Sample:
        """Draw a sentence, held out or not."""
        return self.draw(Draft(rng))

    def held_out(self, sample: Sample) -> bool:
        """Say whether a noun pair of the sentence is held out."""
        return is_held_out(sample.source)

    def makes(self, source: str) -> bool:
        """Say whether the task draws this sentence."""
        return self.reference(source) is not None

    def reference(self, source: str) -> str | None:
        """Return the labels of a sentence; None for one that the task does not draw."""
        targets = {sample.target for sample in derivations(source, self.draw)}
        return targets.pop() if len(targets) == 1 else None


class Tagging(_Labelled):
    """`The dogs cross the street.` → `DT NNS VBP DT NN`, the part of speech of each word.

    The tags are those of the Penn Treebank. The base form of a verb has two, which only the other
    words tell: VBP where it is in the present, VB where it is an infinitive (`Do the dogs cross
    the street?`). All other words have one.
    """

    name = "tag"
    form = N_("a sentence of the grammar without names")
    examples: tuple[Example, ...] = (
        Example(N_("present"), "The dogs cross the street."),
        Example(N_("a question"), "Do the dogs cross the street?"),
        Example(N_("tired"), "The animal didn't cross the street because it was too tired."),
    )
    vocabulary = Vocabulary((*sorted(VOCABULARY), *TAGS), (), _N_FREE)

    def draw(self, draft: Draft) -> Sample:
        """Return any sentence with its tags; half are in the present."""
        draft.present = draft.chance(0.5)
        draft.choose(PATTERNS)(draft)
        tags = [
            draft.verb_tags.get(at) or _TAG.get(word, NAME)
            for at, word in enumerate(draft.english)
            if word not in _MARKS
        ]
        return Sample(english_text(draft.english)[0], " ".join(tags))

    def sample(self, rng: random.Random) -> Sample:
        """Draw a sentence without names."""
        while True:
            sample = super().sample(rng)
            if NAME not in sample.target.split():
                return sample

    def reference(self, source: str) -> str | None:
        """Return the tags of a sentence; None for one that the task does not draw."""
        tags = super().reference(source)
        return None if tags is None or NAME in tags.split() else tags


class Classifying(_Labelled):
    """`The kings followed the queen.` → `PLURAL`, the number of the main clause's subject.

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

    def draw(self, draft: Draft) -> Sample:
        """Return a sentence of one clause or two, with the number of its subject."""
        kind, plural = draft.choose((Kind.PERSON, Kind.ANIMAL)), draft.chance(0.5)
        subject, other = (NounPhrase(kind, each, indefinite=0.0) for each in (plural, not plural))
        mood, place = draft.choose(DECLARATIVE), draft.choose(("object", "first", "last"))
        if place == "object":
            mood = draft.choose(MOODS)
            action(draft, mood, subject, other)
        elif place == "first":
            say_connector(draft, WHEN, first=True)
            action(draft, draft.choose(DECLARATIVE), other)
            draft.say(",")
            action(draft, mood, subject)
        else:
            action(draft, mood, subject)
            say_connector(draft, WHEN)
            action(draft, draft.choose(DECLARATIVE), other)
        end(draft, (), mood)
        return Sample(english_text(draft.english)[0], PLURAL if plural else SINGULAR)
