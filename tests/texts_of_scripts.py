"""Finds texts that components hold themselves, in JavaScript or HTML: all come from Python."""

import re
from pathlib import Path

from tests.escaping_texts import CODE, WORDS, Found, has_words

SCRIPT = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`""", re.S
)
SAID = re.compile(
    r"(?:\.(?:textContent|innerText|ariaLabel|ariaDescription|title|placeholder|alt)\s*=\s*|"
    r"""setAttribute\(\s*["'](?:aria-(?:label|description|roledescription|valuetext)|title|alt|placeholder)["'],\s*)"""
    r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)"""
)
SENTENCE = re.compile(r"[A-Z]\w* +\w{2,}|\w{2,}[,.;:]? +\w+[,.;:]? +\w{2,}|[A-Z]\w+ +\{\} +\w{2,}")
"""Two names of classes are no sentence; they are written small."""
LANGUAGE = re.compile(r"""toLocale\w*\(\s*["'][a-z]|Intl\.\w+\(\s*["'][a-z]""")


def of_script(file: Path) -> list[Found]:
    """Return the texts that a script holds itself, and the language that it has in mind."""
    script, found = file.read_text(), []
    for match in SCRIPT.finditer(script):
        literal = _literal(match.group())
        if SENTENCE.search(literal) and WORDS.search(literal) and not CODE.search(literal):
            found.append((_line(script, match), literal))
    for match in SAID.finditer(script):
        if match[1] not in {'"true"', '"false"'} and has_words(_literal(match[1])):
            found.append((_line(script, match), match.group()))
    found += [(_line(script, match), match.group()) for match in LANGUAGE.finditer(script)]
    return sorted(set(found))


def of_markup(file: Path) -> list[Found]:
    """Return the texts that markup holds itself."""
    markup = re.sub(r"<!--.*?-->", "", file.read_text(), flags=re.S)
    said = re.compile(
        r">([^<]*[A-Za-z]{2}[^<]*)<|(?:aria-label|title|alt|placeholder)=\"([^\"]+)\""
    )
    return [(_line(markup, match), match.group()) for match in said.finditer(markup)]


def _line(text: str, match: re.Match[str]) -> int:
    return text.count("\n", 0, match.start()) + 1


def _literal(written: str) -> str:
    """Return what stands in quotation marks, without what is filled in; nothing of a comment."""
    if written.startswith("/"):
        return ""
    return re.sub(r"\$\{[^}]*\}", "{}", written[1:-1])
