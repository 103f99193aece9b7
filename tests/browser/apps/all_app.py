"""All pages of this folder, so that one server and one page go from any case to any other.

The address names the page that is shown, beside what that page asks of it. Where it asks for
nothing, nothing is drawn, and what was done is forgotten.
"""

import runpy
from pathlib import Path

import streamlit as st

from pages.frame import session
from pages.frame.components import lend_scripts

st.set_page_config(layout="wide")
# Nothing moves when the place of the scripts becomes empty. It is not called as that of the app's,
# which have keys to wait for (`waiting.py`).
st.html("<style>.st-key-components { display: none; }</style>")
with st.container(key="components"):
    lend_scripts()
if not st.query_params:
    # A page keeps the scripts that it was lent.
    lent = dict(session.storage("scripts"))
    st.session_state.clear()
    session.storage("scripts").update(lent)
    st.stop()
own = Path(__file__).with_name(f"{st.query_params['app']}_app.py")
runpy.run_path(str(own if own.exists() else own.with_name("component_app.py")))
