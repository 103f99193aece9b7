"""Which sentence goes with another in an experiment: one of equal length.

V vocabulary, D model width; small t and w count tokens of a sentence, and whole words known.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from torch.nn.functional import normalize

from core.batch import Ids
from core.decoding.sentence import given_text, translate
from core.runs.run import Run
from core.studies.effects.paired import length, next_token
from core.studies.heads.comparison import most_alike
from core.vocabulary import FIRST_ID
from core.words import written_words

TRIED = 5
"""Sentences that are translated in search of one that is translated differently."""
_CANDIDATES = 64


def alike_in_length(run: Run, sentence: str, others: Sequence[str]) -> str:
    """Return, of other sentences with as many tokens, the most similar.

    Where there is none, it is the sentence itself with one word changed, as `one_word_changed`
    does it.

    Raises:
        SentenceError: There is no text.
    """
    n = length(run, sentence)
    fitting = [other for other in others if other != sentence and length(run, other) == n]
    return most_alike(sentence, fitting) if fitting else one_word_changed(run, sentence)


def one_word_changed(run: Run, sentence: str) -> str:
    """Return the sentence with one word replaced by another that the model knows.

    The word's embedding is as near to the other's as can be (by cosine), so that an animal makes
    room for an animal. Sentences that are translated differently come first; empty where no word
    of the sentence is known.

    Raises:
        SentenceError: There is no text.
    """
    found = list(islice(_one_word_changed(run, sentence), TRIED))
    if not found:
        return ""
    before = _said(run, sentence)
    return next((each for each in found if _said(run, each) != before), found[0])


def _said(run: Run, sentence: str) -> Ids:
    """Return what tells whether something else is written: of a prompt, the next token."""
    if "encoder" in run.model.config.stacks:
        return translate(run, sentence).target_ids
    return (next_token(run, sentence),)


def _one_word_changed(run: Run, sentence: str) -> Iterator[str]:
    """Yield sentences of equal length that differ in one word, the most similar word first."""
    given = given_text(run, sentence)
    ids = given.source_ids or given.prompt
    text = run.tokenizer.decode(ids)
    known = _whole_words(run)
    among = set(known)
    # Of a word that comes again, the last place.
    places = {token: at for at, token in enumerate(ids) if token in among}
    if not places:
        return
    model = run.model
    embedding = model.source_embedding if given.source_ids else model.target_embedding
    embedding_VD = normalize(embedding.tokens.weight.detach(), dim=1)
    alike_tw = embedding_VD[list(places)] @ embedding_VD[known].T
    best = alike_tw.flatten().topk(min(_CANDIDATES, alike_tw.numel())).indices
    for index in best.tolist():
        at, token = list(places.values())[index // len(known)], known[index % len(known)]
        other = run.tokenizer.decode((*ids[:at], token, *ids[at + 1 :]))
        if _differs_in_a_word(text, other) and length(run, other) == len(ids):
            yield other


def _differs_in_a_word(text: str, other: str) -> bool:
    """Say whether two texts have one word that differs, in more than capitals or an ending.

    >>> [_differs_in_a_word("the cat", each) for each in ("the Cat", "the cats", "the dog")]
    [False, False, True]
    """
    words, others = (written_words(each.casefold()) for each in (text, other))
    # A token without the space before it would join two words.
    if len(words) != len(others):
        return False
    differing = [(a, b) for a, b in zip(words, others, strict=True) if a != b]
    return len(differing) == 1 and not _begins_with_other(*differing[0])


def _begins_with_other(one: str, two: str) -> bool:
    return one.startswith(two) or two.startswith(one)


def _whole_words(run: Run) -> list[int]:
    """Return the tokens that are whole words, which training saw where that is known."""
    decode, n = run.tokenizer.decode, run.tokenizer.vocab_size
    if run.known_words:
        return [at for at in range(FIRST_ID, n) if decode([at]).strip() in run.known_words]
    specials = run.tokenizer.specials
    return [
        at
        for at in range(n)
        if at not in specials and run.tokenizer.begins_word(at) and decode([at]).isalpha()
    ]
