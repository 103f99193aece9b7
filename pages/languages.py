"""Which language the app speaks."""

import streamlit as st

from pages.frame import language
from pages.frame.language import _, own_name


def render() -> None:
    """Offer every language under the name that its speakers give it."""
    st.markdown(
        _(
            "The app opens in your browser’s language if it can. Choose another one here: links "
            "then open in it, too."
        )
    )
    with st.container(horizontal=True):
        for each in language.languages():
            st.button(
                own_name(each),
                key=f"language_{each}",
                type="primary" if each == language.visitor() else "secondary",
                on_click=language.choose,
                args=(each,),
            )


if __name__ == "__main__":
    from app import main

    main()
