"""Every text and every number on the screen goes through the reader's language."""

import pytest

from tests import escaping_texts, texts_of_scripts
from tests.escaping_texts import ROOT

PAGES = [
    *(file for file in sorted((ROOT / "pages").rglob("*.py")) if "locales" not in file.parts),
    *sorted((ROOT / "classroom").rglob("*.py")),
    ROOT / "app.py",
]
CORE = sorted((ROOT / "core").rglob("*.py"))
IN_PYTHON = {
    "escaping": escaping_texts.escaping,
    "formatted": escaping_texts.formatted,
    "written by streamlit": escaping_texts.written_by_streamlit,
}
RULES = {
    **{name: (rule, PAGES) for name, rule in IN_PYTHON.items()},
    "formatted in a chart": (escaping_texts.formatted, sorted((ROOT / "viz/charts").rglob("*.py"))),
    "filled otherwise": (escaping_texts.filled_otherwise, CORE),
    "in a script": (
        texts_of_scripts.of_script,
        [script for room in ("viz", "pages") for script in sorted((ROOT / room).rglob("*.js"))],
    ),
    "in markup": (texts_of_scripts.of_markup, sorted((ROOT / "viz").rglob("*.html"))),
}
"""What may be wrong → what finds it in a file, and the files."""
MEANT = {
    # It writes the numbers that it then localises.
    "pages/frame/language.py": {"formatted"},
    # They speak in the terminal, before there is a reader.
    "classroom/__main__.py": {"escaping"},
    "classroom/settings.py": {"escaping"},
    "pages/site/__main__.py": {"escaping", "formatted"},
    # It speaks in the log of whoever keeps the server.
    "classroom/warm_start.py": {"escaping"},
    # It writes Python.
    "pages/frame/recipe.py": {"escaping"},
    # It describes the form of a file.
    "pages/frame/texts.py": {"escaping"},
    # What is typed has the signs that Python reads.
    "pages/frame/controls.py": {"written by streamlit"},
    # It tells charts how the reader's language writes numbers.
    "pages/frame/charts.py": {"written by streamlit"},
    # Streamlit writes the number beside a bar, in the browser's language.
    "pages/views/heads/roles.py": {"written by streamlit"},
    # Settings stand there as in their files.
    # It is handed the signs of the reader's language.
    "viz/charts/number_tables.py": {"formatted in a chart"},
    # It is filled with what is in the reader's language already.
    "viz/component/standalone.html": {"in markup"},
    "viz/live/live.html": {"in markup"},
}
OFFENDERS: dict[str, set[str]] = {}
"""What was wrong when the rules came, file by file: to be taken out, never to be added to."""


@pytest.mark.parametrize("wrong", RULES)
def test_every_text_goes_through_the_language_of_the_reader(wrong):
    rule, files = RULES[wrong]
    found = {file.relative_to(ROOT).as_posix(): rule(file) for file in files}
    known = {name for name, rules in (OFFENDERS | MEANT).items() if wrong in rules}
    new = [
        f"{name}:{line} {what!r}"
        for name, places in found.items()
        if name not in known
        for line, what in places
    ]
    assert not new, "\n".join([wrong, *new])
    mended = sorted(name for name in known if not found.get(name))
    assert not mended, "\n".join([f"no longer {wrong}, take it out of OFFENDERS:", *mended])
