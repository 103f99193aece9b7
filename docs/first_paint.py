"""Store what the start shows before torch is imported: python -m docs.first_paint.

To be called when a text, the picture or the model of the start has changed, after `make texts`.
"""

import json
from typing import Any

from streamlit.testing.v1 import AppTest

from core.installed import ROOT
from pages.frame import language
from pages.frame.first_paint import FILE, MODEL, RUN, SENTENCE, TOUR
from tests.viz.unpacked import unframed


def stored() -> dict[str, Any]:
    """Return what the start shows, in all languages, from the live page."""
    pages = {each: _opened(each) for each in language.languages()}
    english = pages[language.ENGLISH]
    return {
        "sentence": english.text_input(key=SENTENCE).value,
        "arrays": [array.tolist() for array in _picture(english)[1]],
        "languages": {each: _words(page) for each, page in pages.items()},
    }


def _opened(tongue: str) -> AppTest:
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
    page.query_params["lang"] = tongue
    return page.run()


def _picture(page: AppTest) -> tuple[dict[str, Any], list[Any]]:
    """Return the header and the arrays of the picture's payload."""
    [element] = page.get("bidi_component")
    header, arrays = unframed(element.proto.bytes)
    del header["arrays"]
    # With another hash the live picture is a new one to the component, which keeps its step then.
    return {**header, "content": ""}, arrays


def _words(page: AppTest) -> dict[str, Any]:
    introduction, *others = [each.value for each in page.markdown]
    examples = [each for each in page.button if (each.key or "").startswith("example_")]
    return {
        "introduction": introduction,
        "tour": page.button(key=TOUR).label,
        "model": page.selectbox(key=MODEL).label,
        "name": page.selectbox(key=MODEL).options[0],
        "sentence": page.text_input(key=SENTENCE).label,
        "examples": [each.label for each in examples],
        "seen": others[0],
        "header": _picture(page)[0],
    }


def main() -> None:
    """Write the file."""
    (RUN / FILE).write_text(json.dumps(stored(), ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
