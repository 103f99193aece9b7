"""The app for a class: `make class`. It is the app of `app.py` behind a guard."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware

from classroom import cookie, settings, warm_start
from classroom.guard import Guard
from classroom.service import ClassService
from pages.frame import cached, service

SECONDS_BETWEEN_LOOKS = 1.0
"""At those who wait in line."""
classroom = settings.read(settings.folder(), os.environ)
served = ClassService(classroom)
service.serve(served)
os.environ["JOB_MEGABYTES"] = str(classroom.limits.job_megabytes)


@asynccontextmanager
async def while_served(_app: st.App) -> AsyncIterator[None]:
    """Visit all pages before anybody comes; then start those who wait in line, again and again."""
    as_teacher = {cookie.NAME: cookie.written(classroom, service.OWNER)}
    await warm_start.visit(as_teacher, warm_start.addresses())
    advancing = asyncio.create_task(_advance())
    yield
    advancing.cancel()


async def _advance() -> None:
    while True:
        # The disk may be full for a while.
        with suppress(OSError):
            await run_in_threadpool(served.advance)
        await asyncio.sleep(SECONDS_BETWEEN_LOOKS)


app = st.App(
    settings.ROOT / "app.py",
    lifespan=while_served,
    middleware=[Middleware(Guard, classroom=classroom, runs=cached.OWN)],
)
