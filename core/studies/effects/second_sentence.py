"""A second sentence of equal length beside a first, for patching.

V vocabulary, D model width; small t and w count tokens of a sentence, and whole words known.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from torch.nn.functional import normalize

from ...batch import Ids
from ...decoding.generate import decode_steps
from ...decoding.sentence import model_input, translate
from ...runs.run import Run
from ...tasks.symbols import is_of_letters
from ...tokenizer.words import written_words
from ...vocabulary import FIRST_ID
from ..heads.comparison import most_alike
from ..heads.findings import task_of

TRIED = 5
"""Sentences that are translated in search of one that is translated differently."""
_CANDIDATES = 256


def length(run: Run, text: str) -> int:
    """Return how many tokens of a text a model is given, special ones counted."""
    given = model_input(run, text)
    return len(given.source_ids or given.prompt)


def second_sentence(run: Run, sentence: str, others: Sequence[str]) -> str:
    """Return a sentence of as many tokens that the model translates differently.

    Of these it is the first that differs in one word: the most similar of `others`, or the sentence
    with one word replaced, where that is a sentence of the task. If there is none, it is the most
    similar of `others`; empty where none has as many tokens.
    """
    n = length(run, sentence)
    fitting = [other for other in others if other != sentence and length(run, other) == n]
    alike = most_alike(sentence, fitting) if fitting else ""
    candidates = [alike] if _differs_in_a_word(sentence, alike) else []
    if (task := task_of(run)) is not None:
        changed = _one_word_changed(run, sentence)
        if not is_of_letters(task):
            changed = filter(task.reference, changed)
        candidates += islice(changed, TRIED)
    before = _predicted(run, sentence) if candidates else ()
    return next((each for each in candidates if _predicted(run, each) != before), alike)


def _predicted(run: Run, sentence: str) -> Ids:
    """Return the translation, or of a decoder alone the first token that it writes."""
    if "encoder" in run.model.config.stacks:
        return translate(run, sentence).target_ids
    prompt = model_input(run, sentence).prompt
    return (next(decode_steps(run.model, None, prompt)).chosen,)


def _one_word_changed(run: Run, sentence: str) -> Iterator[str]:
    """Yield sentences of equal length that differ in one word that the model knows.

    Those come first whose words have the most similar embeddings (by cosine): an animal makes room
    for an animal.
    """
    decode, ids = run.tokenizer.decode, model_input(run, sentence).source_ids
    text = decode(ids)
    known = [
        token
        for token in range(FIRST_ID, run.tokenizer.vocab_size)
        if decode([token]).strip() in run.known_words
    ]
    among = set(known)
    # Of a word that comes again, the last place.
    places = {token: at for at, token in enumerate(ids) if token in among}
    if not places:
        return
    embedding_VD = normalize(run.model.source_embedding.tokens.weight.detach(), dim=1)
    alike_tw = embedding_VD[list(places)] @ embedding_VD[known].T
    best = alike_tw.flatten().topk(min(_CANDIDATES, alike_tw.numel())).indices
    for index in best.tolist():
        at, token = list(places.values())[index // len(known)], known[index % len(known)]
        other = decode((*ids[:at], token, *ids[at + 1 :]))
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
