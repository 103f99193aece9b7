"""The app for a class: `make class`. It is the app of `app.py` behind a guard."""

import os

import streamlit as st
from starlette.middleware import Middleware

from pages.classroom import settings
from pages.classroom.guard import Guard
from pages.frame import cached

classroom = settings.read(settings.folder(), os.environ)
settings.open_classroom(classroom)
app = st.App(
    settings.ROOT / "app.py", middleware=[Middleware(Guard, classroom=classroom, runs=cached.OWN)]
)
