from pages.frame.glossary import terms


def test_it_lists_every_term_by_the_alphabet_with_a_view_that_shows_it(open_page):
    at = open_page("glossary", model=None)
    headings = [each.value for each in at.markdown if each.value.startswith("**")][1:]
    names = [text.split("**")[1].casefold() for text in headings]
    assert names == sorted(term.forms[0].casefold() for term in terms())
    assert len(at.get("page_link")) == len(terms()) + 1, "and one to what notes get wrong"
    texts = "\n".join(each.value for each in at.markdown)
    assert all(term.text in texts for term in terms())


def test_the_papers_english_term_stands_beside_the_chinese_one(open_page):
    at = open_page("glossary", model=None, lang="zh_CN")
    said = [each.value for each in at.markdown]
    assert any("教师强制" in each and "teacher forcing" in each for each in said)
    at = open_page("glossary", model=None)
    assert "**Teacher forcing**" in [each.value for each in at.markdown]
