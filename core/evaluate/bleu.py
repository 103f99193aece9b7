"""BLEU and chrF; BLEU counts words, or characters where a script has no spaces."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import regex
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

Tokens = Literal["13a", "zh", "char"]
"""sacrebleu's names: words; Chinese characters and the words between them; characters."""

_LETTER, _HAN = regex.compile(r"\p{L}"), regex.compile(r"\p{Han}")
# Japanese, Korean, Thai, Lao, Khmer, Burmese. Korean has spaces, but a noun and its particles stand
# between them as one.
_CHARACTERWISE = regex.compile(
    r"(?V1)[[\p{Hiragana}\p{Katakana}ー\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]&&\p{L}]"
)
_LEAST_OTHERS = 0.05
"""Chinese has hardly a letter of the others for each of its own, Japanese has many."""


@dataclass(frozen=True, slots=True)
class Bleu:
    """BLEU of some texts."""

    score: float
    """0 to 100."""
    tokens: Tokens
    signature: str
    """sacrebleu's: it says how the score was computed."""


def bleu_tokens(references: Iterable[str]) -> Tokens:
    """Return the tokens of BLEU for texts of a language, by the script of most of its letters.

    >>> [bleu_tokens([text]) for text in ("Un chat.", "一只猫。", "猫がいる。", "고양이", "แมว")]
    ['13a', 'zh', 'char', 'char', 'char']
    """
    n_letters = n_han = n_others = 0
    for text in references:
        n_letters += len(_LETTER.findall(text))
        n_han += len(_HAN.findall(text))
        n_others += len(_CHARACTERWISE.findall(text))
    if 2 * (n_han + n_others) <= n_letters:
        return "13a"
    return "char" if n_others > _LEAST_OTHERS * n_han else "zh"


def corpus_bleu(translations: Sequence[str], references: Sequence[Sequence[str]]) -> Bleu:
    """Return BLEU of translations (4-grams).

    Args:
        translations: The outputs of a model.
        references: The first right translation of each, then the second, as far as all have one.
    """
    tokens = bleu_tokens(text for each in references for text in each)
    # Force keeps it from warning of " .".
    metric = BLEU(tokenize=tokens, force=True)
    score = metric.corpus_score(translations, references).score
    # Rounding may bring a perfect score a hair above 100.
    return Bleu(min(100.0, float(score)), tokens, str(metric.get_signature()))


def corpus_chrf(translations: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Return chrF2 of translations, 0 to 100, of the same arguments as `corpus_bleu`."""
    return min(100.0, float(CHRF().corpus_score(translations, references).score))
