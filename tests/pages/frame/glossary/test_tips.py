import json
import re

import pytest

from pages.frame import layout
from pages.frame.glossary import TERMS, model, tips


@pytest.fixture
def lent(monkeypatch):
    """What the page is given."""
    found = []
    monkeypatch.setattr(tips.st, "html", lambda body, **how: found.append((body, how)))
    tips.lend(layout.SENTENCE_SAID, layout.SEEN)
    [(body, how)] = found
    assert how == {"unsafe_allow_javascript": True}
    return body


def test_every_term_comes_with_its_text(lent):
    terms = json.loads(re.search(r"window.glossary = (.*);", lent)[1])
    assert [(each["forms"], each["text"]) for each in terms] == [
        (term.forms(), term.text) for term in TERMS
    ]


def test_only_terms_that_the_paper_does_not_explain_are_underlined(lent):
    terms = json.loads(re.search(r"window.glossary = (.*);", lent)[1])
    quiet = {each["forms"][0] for each in terms if not each["marked"]}
    assert quiet == {term.forms()[0] for term in model.TERMS}


def test_nothing_in_the_script_looks_like_an_element(lent):
    # Streamlit would drop all of it without a word.
    script = lent.split("<script>", 1)[1].rsplit("</script>", 1)[0]
    assert not re.search(r"<[/\w!]", script)
