"""What the columns of a file of pairs are called: languages, codes of languages, source and target.

Names of languages are those of CLDR, which Babel brings, in their own and in each other's language.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from babel import Locale
from babel.core import get_global

SOURCE, TARGET, NEITHER = "source", "target", ""
_NAMING = """
    en ar bg bn ca cs da de el es et eu fa fi fr ga gl he hi hr hu hy id is it ja ka ko lt lv mk
    ms nb nl pl pt ro ru sk sl sq sr sv sw ta th tr uk ur uz vi zh zh_Hant
"""
"""Languages in which names of languages are known."""
_WORDS = {
    SOURCE: """
        source src input from original question prompt origine entrée quelle ausgangstext
        eingabe query frage origen fuente entrada pregunta sorgente fonte domanda origem
        pergunta bron invoer kaynak źródło nguồn πηγή источник исходный оригинал вопрос
        джерело المصدر مصدر الأصل مبدأ स्रोत מקור 源 源文 源语言 源句 原文 原句 输入 问题 來源
        源語言 輸入 問題 入力 質問 ソース 원문 입력 질문 출발어 1""",
    TARGET: """
        target tgt trg output to translation translated answer response reply reference cible
        traduction sortie réponse ziel zieltext übersetzung ausgabe antwort destino objetivo
        traducción salida respuesta traduzione risposta alvo tradução saída resposta doel
        vertaling uitvoer hedef çeviri tłumaczenie cel dịch đích μετάφραση στόχος перевод цель
        целевой ответ переклад الترجمة ترجمة الهدف هدف ترجمه مقصد अनुवाद लक्ष्य תרגום יעד 目标
        译文 目标语言 译句 翻译 输出 答案 回答 目標 譯文 翻譯 目標語言 輸出 訳文 訳 翻訳 対訳
        出力 ターゲット 번역 번역문 출력 도착어 답 2""",
    NEITHER: """
        text texts sentence sentences word words phrase phrases language lang term terms
        segment the in of texte textes mot mots langue satz sätze wort wörter sprache texto
        frase frases oración palabra palabras idioma lengua testo parola lingua palavra língua
        tekst zin woord taal metin cümle kelime dil zdanie słowo язык текст предложение слово
        фраза النص جملة الجملة كلمة لغة نص متن جمله वाक्य पाठ शब्द भाषा משפט טקסט מילה 文 文本
        句子 句 语句 语言 单词 词 词语 短语 語言 語句 單詞 詞 文章 例文 言語 単語 テキスト
        문장 텍스트 언어 단어 ภาษา ประโยค คำ""",
}
_CODE = re.compile(r"([a-z]{2,3})((?:[-_][a-z]{4})?(?:[-_](?:[a-z]{2}|\d{3}))?)")
_MACRO = {
    **{"arb": "ar", "azj": "az", "ekk": "et", "khk": "mn", "lvs": "lv", "npi": "ne", "ory": "or"},
    **{"pes": "fa", "swh": "sw", "uzn": "uz", "zsm": "ms", "als": "sq"},
}
"""Codes of ISO 639-3 for the usual form of a language that has a code of its own."""
_OTHER_NAMES = {
    **dict.fromkeys(("mandarin", "汉语", "漢語", "普通话", "普通話", "国语", "國語"), "zh"),
    **{"farsi": "fa", "castellano": "es", "韩文": "ko", "flemish": "nl", "kreyol": "ht"},
}
"""Names that CLDR does not have."""
_SENTENCE = re.compile(r"[.!?。！？؟।]")
_MOST_WORDS = 6
_OF_NAME = 3
_NO_SPACES = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


class Meaning(NamedTuple):
    """What the name of a column says of it."""

    language: str
    """A code; empty where none is named."""
    role: str


def is_header(texts: Sequence[str]) -> bool:
    """Say whether the first record of a file names its columns.

    Two of them are named by different languages, or as source and target; a word in two languages
    (`English`, `anglais`) is a pair. Of more columns, others may be called as they like.
    """
    if any(text.isdecimal() for text in texts) or (len(texts) == 2 and _mixed(texts)):
        return False
    found = list(filter(None, map(meaning, texts)))
    if len(found) < 2 or (len(texts) == 2 != len(found)):
        return False
    languages = [each.language for each in found if each.language]
    if len(languages) == len(found):
        return len(set(languages)) == len(languages)
    roles = [each.role for each in found]
    return len(set(roles)) > 1 and (TARGET in roles or bool(languages))


def _mixed(texts: Sequence[str]) -> bool:
    """Say whether codes of two letters stand beside codes of three that have two: is, est."""
    codes = [found[1] for text in texts if (found := _CODE.fullmatch(text.casefold()))]
    short = any(len(code) == 2 for code in codes)
    return short and any(code not in Locale("en").languages for code in codes if len(code) == 3)


def meaning(text: str) -> Meaning | None:
    """Return what a column is of whose name all is understood; None for any other text.

    >>> meaning("English words/sentences"), meaning("目标语言"), meaning("Good morning")
    (Meaning(language='en', role=''), Meaning(language='', role='target'), None)
    """
    if code := language_code(text):
        return Meaning(code, NEITHER)
    words = _words(text)
    if not 0 < len(words) <= _MOST_WORDS or not any(map(str.isalpha, text)):
        return None
    if _SENTENCE.search(text):
        return None
    terms = _understood(tuple(words))
    if terms is None:
        return None
    languages = [each.language for each in terms if each.language]
    roles = [each.role for each in terms if each.role]
    if len(set(languages)) > 1 or len(set(roles)) > 1:
        return None
    return Meaning((languages or [""])[0], (roles or [NEITHER])[0])


def language_code(text: str) -> str:
    """Return the language of a code, as `en`, `eng`, `zh-CN` or `eng_Latn`; empty for another text.

    >>> language_code("fra"), language_code("pt_BR"), language_code("the")
    ('fr', 'pt_br', '')
    """
    if not (found := _CODE.fullmatch(text.casefold())):
        return ""
    code, rest = found[1], found[2].replace("-", "_")
    if code not in Locale("en").languages:
        # Also of two letters, where a code was another once.
        alias = get_global("language_aliases").get(code, "")
        code = _MACRO.get(code, alias.partition("_")[0])
    return code and code + rest


def _words(text: str) -> list[str]:
    # sourceText and sentence1 are two words.
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[^\W\d_])(?=\d)", " ", text)
    return re.findall(r"[^\W\d_]+|\d+", _folded(apart))


def _folded(text: str) -> str:
    """Return a text without what differs between ways to write it: case and accents."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(char for char in apart if not unicodedata.category(char).startswith("M"))
    return unicodedata.normalize("NFC", bare)


def _understood(words: tuple[str, ...]) -> list[Meaning] | None:
    """Return what words mean one after the other, the longest names first; None if one is none."""
    if not words:
        return []
    for n in range(min(_OF_NAME, len(words)), 0, -1):
        for found in _terms(" ".join(words[:n])):
            if (others := _understood(words[n:])) is not None:
                return [*found, *others]
    return None


def _terms(text: str) -> Iterator[list[Meaning]]:
    """Yield what a word or a name means; where no spaces stand between words, also two of them."""
    if found := _known(text):
        yield [found]
    if _NO_SPACES.fullmatch(text):
        for at in range(len(text) - 1, 0, -1):
            first, then = _known(text[:at]), _known(text[at:])
            if first and then:
                yield [first, then]


def _known(term: str) -> Meaning | None:
    if term in _roles():
        return Meaning("", _roles()[term])
    language = _languages().get(term) or language_code(term)
    return Meaning(language, NEITHER) if language else None


@cache
def _roles() -> dict[str, str]:
    return {_joined(word): role for role, words in _WORDS.items() for word in words.split()}


@cache
def _languages() -> dict[str, str]:
    """Return names of languages → their codes; a name of two is that of the first."""
    found = {_joined(name): code for name, code in _OTHER_NAMES.items()}
    for naming in _NAMING.split():
        for code, name in Locale.parse(naming).languages.items():
            found.setdefault(_joined(name), code)
    return found


def _joined(name: str) -> str:
    return " ".join(_words(name))


def named_columns(names: Iterable[str]) -> dict[int, Meaning]:
    """Return what the columns are whose names are understood."""
    found = {at: meaning(name) for at, name in enumerate(names)}
    return {at: each for at, each in found.items() if each}
