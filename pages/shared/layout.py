"""Room for the picture: less empty space than Streamlit leaves, and paper without navigation."""

import streamlit as st

LESSON_TEXT = "lesson_text"
"""Key of the element that says what a view shows: as high for one line as for two."""

# Only distances; colours and fonts come from the theme.
_STYLE = """
<style>
.stMainBlockContainer { padding: 2.2rem 2.5rem 3rem; }
.stMainBlockContainer > .stVerticalBlock, .stMainBlockContainer .stVerticalBlock { gap: 0.5rem; }
header.stAppHeader { height: 2.2rem; min-height: 2.2rem; }
.st-key-lesson_text { min-height: 3rem; justify-content: center; }
@media (max-width: 1000px) { .stMainBlockContainer { padding: 2.2rem 1.2rem 3rem; } }
@media print {
  .stSidebar, header.stAppHeader, .stExpander, .stButton { display: none !important; }
  .stMainBlockContainer { padding: 0; }
}
</style>
"""


def compact() -> None:
    """Apply to the page that is being drawn."""
    st.html(_STYLE)
