from collections import Counter

from pages.frame import links
from pages.frame.glossary import TERMS


def test_no_form_and_no_name_stands_for_two_terms():
    forms = Counter(form.lower() for term in TERMS for form in term.forms())
    names = Counter(term.name for term in TERMS)
    assert [each for found in (forms, names) for each, n in found.items() if n > 1] == []


def test_a_term_is_explained_in_a_few_words_and_shown_by_a_view():
    for term in TERMS:
        assert term.text.rstrip("”").endswith("."), term.name
        assert 40 <= len(term.text) <= 240, term.name
        assert term.page in links.PAGES, term.name


def test_the_terms_that_a_newcomer_stumbles_over_are_there():
    forms = {form.lower() for term in TERMS for form in term.forms()}
    wanted = {"antecedent", "held-out", "seed", "nats", "entropy", "exact match", "bos", "eos"}
    wanted |= {"pad", "logit lens", "guided", "likeness", "bleu", "pre-norm", "teacher forcing"}
    assert wanted <= forms
