from streamlit.testing.v1 import AppTest


def _page():
    import streamlit as st

    from pages.frame import session

    st.text(f"first {not session.current().names_of}")
    session.enter("heads")
    session.show("model", ("copy",))
    st.text(f"bare {session.is_bare()} but for the model {session.is_bare('model')}")
    st.text(f"from elsewhere {session.current().entered}")
    session.write()


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
