from core.studies.experiments import EXPERIMENTS
from pages.frame.links import LESSONS, read
from tests.pages.every_view import CASES, PAGES


def test_every_experiment_has_a_lesson_that_there_is():
    assert set(LESSONS) == set(EXPERIMENTS)
    for lesson in LESSONS.values():
        page, query = read(lesson)
        assert (page, query[PAGES[page]]) in CASES


def test_where_few_models_show_it_the_link_names_one(open_page):
    at = open_page("experiments", experiment="copying", model=None)
    [link] = [e.proto for e in at.get("page_link") if e.proto.label == "See it in a model"]
    found = set(link.query_string.split("&"))
    assert found == {"decoding=steps", "part=copying", "model=copying"}
    tested = f"Tested: {EXPERIMENTS['copying'].question}"
    at = open_page("decoding", decoding="steps", part="copying", model="copying")
    assert tested in [each.proto.label for each in at.get("page_link")]
    at = open_page("decoding", decoding="steps")
    assert tested not in [each.proto.label for each in at.get("page_link")]
