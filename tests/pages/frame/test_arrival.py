from streamlit.testing.v1 import AppTest


def _page():
    import streamlit as st

    from pages.frame import address, arrival

    st.text(f"first {arrival.is_first()}")
    address.enter("heads")
    address.show("model", ("copy",))
    st.text(f"bare {arrival.is_bare()} but for the model {arrival.is_bare('model')}")
    st.text(f"from elsewhere {arrival.comes_from_elsewhere()} back {arrival.is_way_back()}")
    address.write()


def opened(**query):
    at = AppTest.from_function(_page)
    at.query_params.update(query)
    at.run()
    assert not at.exception
    return at


def said(at):
    return [each.value for each in at.text]


def test_the_first_page_of_a_visit_is_told_from_those_after_it():
    at = opened()
    assert said(at)[0] == "first True"
    assert said(at.run())[0] == "first False"


def test_an_address_that_asks_for_something_is_not_bare():
    assert said(opened())[1] == "bare True but for the model True"
    assert said(opened(model="copy"))[1] == "bare False but for the model True"
    assert said(opened(layer="1"))[1] == "bare False but for the model False"


def test_a_page_that_is_drawn_again_comes_from_nowhere_else():
    at = opened()
    assert said(at)[2] == "from elsewhere True back False"
    assert said(at.run())[2] == "from elsewhere False back False"
