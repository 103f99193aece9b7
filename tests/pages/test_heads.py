from pages.heads import VIEWS


def test_a_view_that_there_is_not_falls_back_to_the_first(open_page):
    at = open_page("heads", trial="nothing", model="copy", sentence="a b c")
    assert at.segmented_control(key="trial").value == VIEWS[0].name
