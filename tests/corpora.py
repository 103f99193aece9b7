"""Small corpora of English and Chinese, Persian or Japanese, made from templates.

    python -m tests.corpora FOLDER

writes a file of pairs for each language and direction: english-chinese.tsv, chinese-english.tsv …
"""

import itertools
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

N_PAIRS = 400

Pair = tuple[str, str]
"""English, and the other language."""

_TIMES = {
    "yesterday": ("昨天", "昨日"),
    "this morning": ("今天早上", "今朝"),
    "last week": ("上个星期", "先週"),
}
_PLACES = {
    "in the garden": ("花园里", "庭に"),
    "in the park": ("公园里", "公園に"),
    "in front of the house": ("房子前面", "家の前に"),
}


def chinese() -> Iterator[Pair]:
    """Yield all pairs of English and Chinese."""
    people = {
        "the teacher": "老师",
        "the student": "学生",
        "the doctor": "医生",
        "my mother": "我妈妈",
        "my friend": "我朋友",
        "the child": "孩子",
    }
    verbs = {"saw": "看见了", "bought": "买了", "drew": "画了", "found": "找到了"}
    colours = {"white": "白色的", "black": "黑色的", "red": "红色的", "yellow": "黄色的"}
    things = {"cat": "只猫", "dog": "只狗", "bird": "只鸟", "car": "辆车", "hat": "顶帽子"}
    for colour, thing in itertools.product(colours, things):
        english, seen = (
            f"a {colour} {thing}",
            things[thing][0] + colours[colour] + things[thing][1:],
        )
        for who, did, when in itertools.product(people, verbs, _TIMES):
            said = f"{people[who]}{_TIMES[when][0]}{verbs[did]}一{seen}。"
            yield _sentence(f"{who} {did} {english} {when}"), said
        for where in _PLACES:
            yield _sentence(f"there is {english} {where}"), f"{_PLACES[where][0]}有一{seen}。"


def japanese() -> Iterator[Pair]:
    """Yield all pairs of English and Japanese."""
    people = {
        "the teacher": "先生",
        "the student": "学生",
        "the doctor": "医者",
        "my mother": "母",
        "my friend": "友だち",
        "the child": "子ども",
    }
    verbs = {"see": ("saw", "見"), "buy": ("bought", "買い"), "look for": ("looked for", "探し")}
    kinds = {"white": "白い", "black": "黒い", "big": "大きい", "small": "小さい"}
    # Living beings are (います), things are there (あります).
    things = {
        "cat": ("猫", "い"),
        "dog": ("犬", "い"),
        "bag": ("かばん", "あり"),
        "camera": ("カメラ", "あり"),
        "table": ("テーブル", "あり"),
    }
    for kind, thing in itertools.product(kinds, things):
        noun, there = things[thing]
        english, seen = f"a {kind} {thing}", kinds[kind] + noun
        for who, do, when in itertools.product(people, verbs, _TIMES):
            did, stem = verbs[do]
            begun = f"{people[who]}は{_TIMES[when][1]}{seen}を{stem}"
            yield _sentence(f"{who} {did} {english} {when}"), f"{begun}ました。"
            yield _sentence(f"{who} did not {do} {english} {when}"), f"{begun}ませんでした。"
        for where in _PLACES:
            said = f"{_PLACES[where][1]}{seen}が{there}ます。"
            yield _sentence(f"there is {english} {where}"), said


def persian() -> Iterator[Pair]:
    """Yield all pairs of English and Persian, with the zero-width non-joiners that it needs."""
    people = {
        "I": ("من", "م"),
        "you": ("تو", "ی"),
        "she": ("او", "د"),
        "we": ("ما", "یم"),
        "they": ("آن\u200cها", "ند"),
        "the teacher": ("معلم", "د"),
        "the pupil": ("دانش\u200cآموز", "د"),
        "my mother": ("مادرم", "د"),
    }
    times = {"today": "امروز", "every day": "هر روز", "now": "الان"}
    verbs = {"see": "بین", "buy": "خر", "want": "خواه", "bring": "آور"}
    kinds = {"white": "سفید", "black": "سیاه", "big": "بزرگ", "small": "کوچک"}
    # After a vowel the ezafe is written.
    things = {
        "cat": ("گربه", "\u200cی"),
        "bird": ("پرنده", "\u200cی"),
        "book": ("کتاب", ""),
        "flower": ("گل", ""),
    }
    objects = {f"the {name}s": f"{noun}\u200cها را" for name, (noun, _) in things.items()}
    objects |= {
        f"a {kind} {name}": f"یک {noun}{ezafe} {kinds[kind]}"
        for kind in kinds
        for name, (noun, ezafe) in things.items()
    }
    for who, do, what, when in itertools.product(people, verbs, objects, times):
        subject, ending = people[who]
        third = ending == "د"
        begun = f"{subject} {times[when]} {objects[what]}"
        verb = f"می\u200c{verbs[do]}{ending}."
        yield _sentence(f"{who} {do}{'s' * third} {what} {when}"), f"{begun} {verb}"
        does = "does" if third else "do"
        yield _sentence(f"{who} {does} not {do} {what} {when}"), f"{begun} ن{verb}"


LANGUAGES: dict[str, Callable[[], Iterator[Pair]]] = {
    "chinese": chinese,
    "japanese": japanese,
    "persian": persian,
}


def pairs(language: str, n: int = N_PAIRS) -> list[Pair]:
    """Return so many different pairs, the same ones each time."""
    return random.Random(language).sample(list(LANGUAGES[language]()), n)


def as_text(found: list[Pair], *, to_english: bool = False) -> str:
    """Return pairs as a file of them holds them."""
    order = -1 if to_english else 1
    return "".join("\t".join(pair[::order]) + "\n" for pair in found)


def _sentence(english: str) -> str:
    return f"{english[0].upper()}{english[1:]}."


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in LANGUAGES:
        for to_english in (False, True):
            both = ("english", name)[:: -1 if to_english else 1]
            text = as_text(pairs(name), to_english=to_english)
            (folder / f"{'-'.join(both)}.tsv").write_text(text)
