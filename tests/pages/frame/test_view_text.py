import re

import pytest

from pages.frame.texts import TEXTS, parsed

ENGLISH = sorted((TEXTS / "en").rglob("*.md"))


def test_a_formula_has_no_dollars():
    assert parsed("# a\n\nWhy?\n\n## Formula\n\n$$\nx^2\n$$\n").formula == "x^2"


@pytest.mark.parametrize("file", ENGLISH, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_each_language_has_the_same_sections_and_formulas(file):
    english = parsed(file.read_text())
    assert english.label and english.question
    for folder in TEXTS.iterdir():
        other = parsed((folder / file.relative_to(TEXTS / "en")).read_text())
        assert other.label and other.question
        assert list(other.sections) == list(english.sections)
        assert other.formula == english.formula
        for name, text in english.sections.items():
            assert re.findall(r"`[^`]+`", text) == re.findall(r"`[^`]+`", other.sections[name])
