import json
import re
from collections import Counter

from pages.frame import glossary
from pages.frame.glossary import terms


def test_no_form_and_no_name_stands_for_two_terms():
    forms = Counter(form.lower() for term in terms() for form in term.forms)
    names = Counter(term.name for term in terms())
    assert [each for found in (forms, names) for each, n in found.items() if n > 1] == []


def test_a_term_is_explained_in_a_few_words():
    for term in terms():
        assert term.text.rstrip("”").endswith("."), term.name
        assert 40 <= len(term.text) <= 240, term.name


def test_the_script_has_every_term_and_nothing_that_looks_like_an_element(monkeypatch):
    bodies = []
    monkeypatch.setattr(glossary.st, "html", lambda body, **_how: bodies.append(body))
    glossary.lend()
    script = bodies[0].removeprefix("<script>").removesuffix("</script>")
    given = json.loads(re.match(r"Object.assign\(window, (.*)\);", script)[1])["glossary"]
    assert [(each["forms"], each["text"], each["marked"]) for each in given] == [
        (list(term.forms), term.text, not term.of_the_model) for term in terms()
    ]
    # Streamlit would drop all of it without a word.
    assert not re.search(r"<[/\w!]", script)
