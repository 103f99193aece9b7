from pages.experiments import VIEWS


def test_every_view_opens_from_its_link_and_can_be_taken_away(open_page, taken):
    for view in VIEWS:
        at = open_page("experiments", experiment="residuals", outcome=view.name, model=None)
        assert not at.error
        assert at.segmented_control(key="outcome").value == view.name
    assert len(taken) == len(VIEWS)
    assert len({shown.name for shown in taken}) == len(VIEWS)


def test_what_a_link_names_that_is_not_there_falls_back_to_the_first(open_page):
    at = open_page("experiments", experiment="nonsense", outcome="none", model=None)
    assert not at.exception
    assert at.selectbox(key="experiment").value == "bottleneck"
