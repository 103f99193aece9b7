"""What scripts say in sentences keeps its direction to itself, as what Python says does."""

from pathlib import Path

import pytest

from viz.direction import isolated

pytestmark = pytest.mark.browser
COMPONENT = Path(__file__).parents[2] / "viz" / "component"
SCRIPTS = "".join((COMPONENT / f"{name}.js").read_text() for name in ("text", "tokens"))
TOKENS = (
    *("it", "سلام", "می‌خواهم", "ר.", "नमस्ते", "👨‍👩‍👧", "1️⃣", "٣", "{key}", ""),
    *("\u2069 it", "\u202eit", "\u2067it", "⁦سلام⁩", "a ܐ b", "𐤀"),
)


@pytest.fixture(scope="module")
def said(browser):
    """Return a function that hands values to an expression in which the scripts are known."""
    page = browser.new_page()
    yield lambda expression, values: page.evaluate(
        f"(values) => {{ {SCRIPTS}; return ({expression}); }}", values
    )
    page.close()


def test_a_token_is_isolated_as_python_isolates_it(said):
    assert said("values.map(isolated)", TOKENS) == [isolated(token) for token in TOKENS]


def test_what_fills_a_template_leaves_the_signs_around_it_alone(said):
    filled = said("values.map((key) => fill('{key}: {weight}.', { key, weight: 1 }))", TOKENS)
    assert filled == [f"{isolated(token)}: 1." for token in TOKENS]


def test_a_tooltip_is_told_with_its_words_isolated(said):
    nodes = "const line = element('p', ''); line.append(word(values[0]), ' → ', word(values[1]))"
    told = said(
        f"(() => {{ {nodes}; return [line.textContent, spokenOf(line)]; }})()", ["ר.", "it"]
    )
    assert told == ["ר. → it", "\u2068ר.\u2069 → it"]


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (3, ["says \u2068אבא בא\u2069", "here"]),
        (2, ["says \u2068אבא\u2069", "\u2068בא\u2069 here"]),
    ],
)
def test_what_is_isolated_stays_so_over_two_lines_of_a_picture(said, words, lines):
    figure = (COMPONENT / "figure.js").read_text()
    broken = f"brokenLines(values, {words}, (text) => text.split(' ').length)"
    text = "says \u2068אבא בא\u2069 here"
    assert said(f"(() => {{ {figure}; return {broken}; }})()", text) == lines
