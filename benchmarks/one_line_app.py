"""What no app of Streamlit can be faster than: a box to type into, and one line of text."""

import streamlit as st

st.text(st.text_input("Sentence", key="sentence"))
