from streamlit.testing.v1 import AppTest


def _page():
    import streamlit as st

    from pages.frame import address, arrival

    st.text(f"first {arrival.is_first()}")
    address.enter("heads")
    address.show("model", ("copy",))
    st.text(f"bare {arrival.is_bare()} but for the model {arrival.is_bare('model')}")
    st.text(f"from elsewhere {arrival.comes_from_elsewhere()}")
    address.write()


def said(at):
    assert not at.exception
    return [each.value for each in at.text]


def test_a_page_is_entered_once():
    at = AppTest.from_function(_page).run()
    assert said(at) == ["first True", "bare True but for the model True", "from elsewhere True"]
    first, _bare, elsewhere = said(at.run())
    assert (first, elsewhere) == ("first False", "from elsewhere False")


def test_an_address_that_asks_for_something_is_not_bare():
    for query, found in ({"model": "copy"}, "True"), ({"layer": "1"}, "False"):
        at = AppTest.from_function(_page)
        at.query_params.update(query)
        assert said(at.run())[1] == f"bare False but for the model {found}"
