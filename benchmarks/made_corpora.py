"""Corpora of pairs that anybody can make again: dates, numbers in words, and another grammar.

They stand for what people bring: short and regular, digits that no vocabulary has seen together,
and sentences whose words change their form and their place. The sources of a corpus are distinct.
"""

import datetime
import random
from collections.abc import Callable

Pair = tuple[str, str]

FIRST_DAY, LAST_DAY = datetime.date(1500, 1, 1), datetime.date(2299, 12, 31)
MOST_DIGITS = 9
# fmt: off
_UNITS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
    "eighteen", "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
# fmt: on


def pairs(name: str, n: int) -> list[Pair]:
    """Return so many pairs of a corpus, always the same."""
    rng = random.Random(name)
    made: dict[str, str] = {}
    while len(made) < n:
        source, target = CORPORA[name](rng)
        made.setdefault(source, target)
    return list(made.items())


def date(rng: random.Random) -> Pair:
    """Write a day as people do, and as ISO 8601 does."""
    n_days = (LAST_DAY - FIRST_DAY).days
    day = FIRST_DAY + datetime.timedelta(rng.randint(0, n_days))
    month, ordinal = f"{day:%B}", f"{day.day}{_ending(day.day)}"
    forms = (
        f"{month} {day.day}, {day.year}",
        f"{day.day} {month} {day.year}",
        f"the {ordinal} of {month}, {day.year}",
        f"{day:%A}, {month} {ordinal}, {day.year}",
        f"{day.day:02}/{day.month:02}/{day.year}",
        f"{day:%b} {day.day}, {day.year}",
    )
    return rng.choice(forms), day.isoformat()


def number(rng: random.Random) -> Pair:
    """Write a number with digits and with words; each number of digits is as likely."""
    n_digits = rng.randint(1, MOST_DIGITS)
    value = rng.randrange(10**n_digits)
    return f"{value:,}", in_words(value)


def in_words(value: int) -> str:
    """Say a number below 1,000,000,000,000 as British English does.

    >>> in_words(482_013), in_words(1_000_007)
    ('four hundred and eighty-two thousand and thirteen', 'one million and seven')
    """
    if value < 20:
        return _UNITS[value]
    if value < 100:
        tens = _TENS[value // 10 - 2]
        return f"{tens}-{_UNITS[value % 10]}" if value % 10 else tens
    size, name = next(
        each
        for each in ((10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred"))
        if value >= each[0]
    )
    many, rest = divmod(value, size)
    said = f"{in_words(many)} {name}"
    if not rest:
        return said
    return f"{said} {'and ' if rest < 100 else ''}{in_words(rest)}"


def _ending(day: int) -> str:
    if day in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


# English: one, many. German: gender, one, many, many in the dative.
_PEOPLE = (
    ("man", "men", "m", "Mann", "Männer", "Männern"),
    ("woman", "women", "f", "Frau", "Frauen", "Frauen"),
    ("child", "children", "n", "Kind", "Kinder", "Kindern"),
    ("girl", "girls", "n", "Mädchen", "Mädchen", "Mädchen"),
    ("teacher", "teachers", "m", "Lehrer", "Lehrer", "Lehrern"),
    ("doctor", "doctors", "f", "Ärztin", "Ärztinnen", "Ärztinnen"),
    ("friend", "friends", "m", "Freund", "Freunde", "Freunden"),
    ("sister", "sisters", "f", "Schwester", "Schwestern", "Schwestern"),
    ("brother", "brothers", "m", "Bruder", "Brüder", "Brüdern"),
    ("king", "kings", "m", "König", "Könige", "Königen"),
    ("queen", "queens", "f", "Königin", "Königinnen", "Königinnen"),
    ("baker", "bakers", "m", "Bäcker", "Bäcker", "Bäckern"),
    ("singer", "singers", "f", "Sängerin", "Sängerinnen", "Sängerinnen"),
)
_THINGS = (
    ("dog", "dogs", "m", "Hund", "Hunde", "Hunden"),
    ("cat", "cats", "f", "Katze", "Katzen", "Katzen"),
    ("horse", "horses", "n", "Pferd", "Pferde", "Pferden"),
    ("bird", "birds", "m", "Vogel", "Vögel", "Vögeln"),
    ("book", "books", "n", "Buch", "Bücher", "Büchern"),
    ("letter", "letters", "m", "Brief", "Briefe", "Briefen"),
    ("table", "tables", "m", "Tisch", "Tische", "Tischen"),
    ("lamp", "lamps", "f", "Lampe", "Lampen", "Lampen"),
    ("car", "cars", "n", "Auto", "Autos", "Autos"),
    ("ball", "balls", "m", "Ball", "Bälle", "Bällen"),
    ("picture", "pictures", "n", "Bild", "Bilder", "Bildern"),
    ("flower", "flowers", "f", "Blume", "Blumen", "Blumen"),
    ("apple", "apples", "m", "Apfel", "Äpfel", "Äpfeln"),
    ("house", "houses", "n", "Haus", "Häuser", "Häusern"),
    ("clock", "clocks", "f", "Uhr", "Uhren", "Uhren"),
    ("coat", "coats", "m", "Mantel", "Mäntel", "Mänteln"),
    ("bag", "bags", "f", "Tasche", "Taschen", "Taschen"),
    ("boat", "boats", "n", "Boot", "Boote", "Booten"),
)
_ADJECTIVES = (
    ("old", "alt"),
    ("new", "neu"),
    ("small", "klein"),
    ("big", "groß"),
    ("beautiful", "schön"),
    ("white", "weiß"),
    ("black", "schwarz"),
    ("strange", "seltsam"),
    ("famous", "berühmt"),
    ("quiet", "still"),
)
# English: he, they, has. German: er, sie, hat. Those of giving have somebody in the dative.
_VERBS = (
    ("sees", "see", "seen", "sieht", "sehen", "gesehen"),
    ("finds", "find", "found", "findet", "finden", "gefunden"),
    ("buys", "buy", "bought", "kauft", "kaufen", "gekauft"),
    ("loves", "love", "loved", "liebt", "lieben", "geliebt"),
    ("paints", "paint", "painted", "malt", "malen", "gemalt"),
    ("looks for", "look for", "looked for", "sucht", "suchen", "gesucht"),
    ("loses", "lose", "lost", "verliert", "verlieren", "verloren"),
    ("praises", "praise", "praised", "lobt", "loben", "gelobt"),
    ("sells", "sell", "sold", "verkauft", "verkaufen", "verkauft"),
    ("forgets", "forget", "forgotten", "vergisst", "vergessen", "vergessen"),
)
_GIVING = (
    ("gives", "give", "given", "gibt", "geben", "gegeben"),
    ("shows", "show", "shown", "zeigt", "zeigen", "gezeigt"),
    ("brings", "bring", "brought", "bringt", "bringen", "gebracht"),
    ("sends", "send", "sent", "schickt", "schicken", "geschickt"),
)
_TIMES = (
    ("today", "heute"),
    ("often", "oft"),
    ("sometimes", "manchmal"),
    ("now", "jetzt"),
    ("again", "wieder"),
)
_DEFINITE = {
    "nominative": {"m": "der", "f": "die", "n": "das", "many": "die"},
    "accusative": {"m": "den", "f": "die", "n": "das", "many": "die"},
    "dative": {"m": "dem", "f": "der", "n": "dem", "many": "den"},
}
_INDEFINITE = {
    "nominative": {"m": "ein", "f": "eine", "n": "ein"},
    "accusative": {"m": "einen", "f": "eine", "n": "ein"},
    "dative": {"m": "einem", "f": "einer", "n": "einem"},
}
_AFTER_DEFINITE = {
    "nominative": {"m": "e", "f": "e", "n": "e", "many": "en"},
    "accusative": {"m": "en", "f": "e", "n": "e", "many": "en"},
    "dative": {"m": "en", "f": "en", "n": "en", "many": "en"},
}
_AFTER_INDEFINITE = {
    "nominative": {"m": "er", "f": "e", "n": "es"},
    "accusative": {"m": "en", "f": "e", "n": "es"},
    "dative": {"m": "en", "f": "en", "n": "en"},
}


def clause(rng: random.Random) -> Pair:
    """Say an English sentence in German: cases, endings, and the verb's place in the sentence.

    The verb is second in a main clause, after a word of time, too; its participle stands last, and
    after "weil" the verb itself does.
    """
    one_en, one_de = _statement(rng, verb_last=False)
    source, target = one_en, one_de
    if rng.random() < 0.5:
        other_en, other_de = _statement(rng, verb_last=True)
        source, target = f"{one_en} because {other_en}", f"{one_de}, weil {other_de}"
    return source[0].upper() + source[1:] + ".", target[0].upper() + target[1:] + "."


def _statement(rng: random.Random, *, verb_last: bool) -> Pair:
    subject_en, subject_de, many = _phrase(rng, _PEOPLE, "nominative")
    gives = rng.random() < 0.4
    third, plain, done_en, third_de, plain_de, done_de = rng.choice(_GIVING if gives else _VERBS)
    finite_en, finite_de = (plain, plain_de) if many else (third, third_de)
    object_en, object_de, _ = _phrase(rng, _THINGS, "accusative")
    after_en, middle = object_en, [object_de]
    if gives:
        person_en, person_de, _ = _phrase(rng, _PEOPLE, "dative")
        after_en, middle = f"{person_en} {object_en}", [person_de, object_de]
    last = []
    if rng.random() < 0.4:
        finite_en = f"{'have' if many else 'has'} {done_en}"
        finite_de, last = ("haben" if many else "hat"), [done_de]
    time_en, time_de = rng.choice(_TIMES) if rng.random() < 0.4 else ("", "")
    source = f"{time_en} {subject_en} {finite_en} {after_en}".strip()
    if verb_last:
        words = [subject_de, time_de, *middle, *last, finite_de]
    elif time_de:
        words = [time_de, finite_de, subject_de, *middle, *last]
    else:
        words = [subject_de, finite_de, *middle, *last]
    return source, " ".join(filter(None, words))


def _phrase(
    rng: random.Random, nouns: tuple[tuple[str, ...], ...], case: str
) -> tuple[str, str, bool]:
    """Return a noun with what belongs to it, in both languages, and whether it is many."""
    one_en, many_en, gender, one_de, many_de, dative_de = rng.choice(nouns)
    adjective_en, adjective_de = rng.choice(_ADJECTIVES) if rng.random() < 0.5 else ("", "")
    many = rng.random() < 0.3
    if many or rng.random() < 0.6:
        number = "many" if many else gender
        article_en, article_de = "the", _DEFINITE[case][number]
        ending = _AFTER_DEFINITE[case][number]
    else:
        article_en, article_de = "a", _INDEFINITE[case][gender]
        ending = _AFTER_INDEFINITE[case][gender]
    if article_en == "a" and (adjective_en or one_en)[0] in "aeiou":
        article_en = "an"
    noun_de = one_de if not many else dative_de if case == "dative" else many_de
    english = (article_en, adjective_en, many_en if many else one_en)
    german = (article_de, adjective_de and adjective_de + ending, noun_de)
    return " ".join(filter(None, english)), " ".join(filter(None, german)), many


CORPORA: dict[str, Callable[[random.Random], Pair]] = {
    "dates": date,
    "numbers": number,
    "German": clause,
}
