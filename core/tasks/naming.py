"""Sentences about invented people: words are translated, names are copied.

Each word has one translation, and an adjective changes places with its noun. What is held out are
names: a model that has them right cannot have learned them.
"""

import itertools
import random
import re
from collections.abc import Iterator, Mapping, Sequence

from ..messages import N_
from ..tokenizer.word_level import Vocabulary
from ..vocabulary import Span
from .task import Drawn, Example, Link, Sample, hash_fraction

_CLASSES: Mapping[str, Mapping[str, str]] = {
    "D": {"the": "le", "a": "un"},
    "N": {"dog": "chien", "cat": "chat", "horse": "cheval"}
    | {"book": "livre", "bicycle": "vélo", "coat": "manteau"},
    "A": {"black": "noir", "white": "blanc", "red": "rouge", "green": "vert"},
    "V": {"sees": "voit", "finds": "trouve", "follows": "suit", "paints": "peint"}
    | {"sells": "vend", "hides": "cache"},
    "G": {"gives": "donne", "shows": "montre"},
    "T": {"to": "à"},
    "C": {"and": "et"},
    "B": {"now": "maintenant", "here": "ici", "often": "souvent", "soon": "bientôt"},
}
"""Class of words (determiner, noun, adjective, verb, verb with "to", "to", "and", adverb) → each
word → its translation. A name is P."""
DICTIONARY: Mapping[str, str] = {
    word: other for words in _CLASSES.values() for word, other in words.items()
}
_CLASS_OF = {word: name for name, words in _CLASSES.items() for word in words}
_FORM = re.compile(r"(P|DA?N)(V(P|PCP|DA?N)|GDA?NTP)B?")
N_TRAINED, N_HELD_OUT, N_FREE = 160, 80, 100
"""Numbers of training names, held-out names, and free names for unknown words."""
HELD_OUT_SHARE = 0.1
"""Share of all sentences that are drawn."""


_SYLLABLES = (
    ("Ba", "Ce", "Do", "Fi", "Ga", "Ke", "Lo", "Mu", "Na", "Po", "Ri", "Su", "Ta", "Ve", "Zo"),
    ("", "ba", "li", "mo", "ra", "ni"),
    ("lax", "nik", "ren", "dor", "mas", "vin", "tel", "ska"),
)


def invented_names(n: int) -> tuple[str, ...]:
    """Return different invented names, always the same."""
    made = map("".join, itertools.product(*_SYLLABLES))
    return tuple(sorted(made, key=hash_fraction)[:n])


NAMES = invented_names(N_TRAINED + N_HELD_OUT)
TRAINED, HELD_OUT = NAMES[:N_TRAINED], NAMES[N_TRAINED:]


class Naming(Drawn):
    """`Zobalax sees the red book` → `Zobalax voit le livre rouge`."""

    name = "names"
    form = N_("who does what, in 24 words and with names: “Zobalax gives the red book to Karen”")
    pronouns: frozenset[str] = frozenset()
    examples: tuple[Example, ...] = (
        Example(N_("two names"), "Kowalski gives the red book to Zorblax"),
        Example(N_("a name as object"), "the white horse follows Bartholomew here"),
        Example(N_("three names"), "Ozymandias paints Kowalski and Nebuchadnezzar"),
        Example(N_("no name"), "the black cat hides the green coat"),
    )
    vocabulary = Vocabulary(
        tuple(dict.fromkeys((*DICTIONARY, *DICTIONARY.values()))), NAMES, N_FREE
    )

    def sample(self, rng: random.Random) -> Sample:
        """Draw a sentence with a name at least; all its names are held out, or none is."""
        names = HELD_OUT if rng.random() < HELD_OUT_SHARE else TRAINED
        while True:
            words = list(_sentence(rng, names))
            if not all(word in DICTIONARY for word in words):
                return translated(words)

    def held_out(self, sample: Sample) -> bool:
        """Whether a sentence has a held-out name."""
        return any(word in _HELD_OUT for word in sample.source.split())

    def makes(self, source: str) -> bool:
        """Whether a source has the form of a sentence, with any names."""
        words = source.split()
        # A word of the other language is not a name.
        classes = "".join(_CLASS_OF.get(word, "?" if word in _FRENCH else "P") for word in words)
        return bool(_FORM.fullmatch(classes))

    def reference(self, source: str) -> str | None:
        """The words' translations, names as they are; None for anything but such sentences."""
        return translated(source.split()).target if self.makes(source) else None


_HELD_OUT, _FRENCH = frozenset(HELD_OUT), frozenset(DICTIONARY.values())


def translated(words: Sequence[str]) -> Sample:
    """Return words with their translation, an adjective after its noun.

    >>> translated("Kowalski sees a red book".split()).target
    'Kowalski voit un livre rouge'
    """
    order = list(range(len(words)))
    for at, word in enumerate(words[:-1]):
        if _CLASS_OF.get(word) == "A" and _CLASS_OF.get(words[at + 1]) == "N":
            order[at : at + 2] = [at + 1, at]
    french = [DICTIONARY.get(words[index], words[index]) for index in order]
    source_spans, target_spans = _spans(words), _spans(french)
    links = tuple(Link(source_spans[index], target_spans[at]) for at, index in enumerate(order))
    return Sample(source=" ".join(words), target=" ".join(french), links=links)


def _sentence(rng: random.Random, names: Sequence[str]) -> Iterator[str]:
    """Yield the words of a sentence."""
    yield from [rng.choice(names)] if rng.random() < 0.6 else _noun_phrase(rng)
    if rng.random() < 0.4:
        yield _word(rng, "G")
        yield from _noun_phrase(rng)
        yield from ("to", rng.choice(names))
    else:
        yield _word(rng, "V")
        match rng.randrange(5):
            case 0 | 1:
                yield rng.choice(names)
            case 2:
                yield from (rng.choice(names), "and", rng.choice(names))
            case _:
                yield from _noun_phrase(rng)
    if rng.random() < 0.5:
        yield _word(rng, "B")


def _noun_phrase(rng: random.Random) -> Iterator[str]:
    yield _word(rng, "D")
    if rng.random() < 0.5:
        yield _word(rng, "A")
    yield _word(rng, "N")


def _word(rng: random.Random, name: str) -> str:
    return rng.choice(list(_CLASSES[name]))


def _spans(words: Sequence[str]) -> list[Span]:
    ends = list(itertools.accumulate(len(word) + 1 for word in words))
    return [Span(end - len(word) - 1, end - 1) for word, end in zip(words, ends, strict=True)]
