def test_what_a_link_names_that_is_not_there_falls_back_to_the_first(open_page):
    at = open_page("experiments", experiment="nonsense", outcome="none", model=None)
    assert not at.exception
    assert at.selectbox(key="experiment").value == "bottleneck"
