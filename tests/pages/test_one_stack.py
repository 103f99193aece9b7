"""Every view of every page on models of another kind that were trained here."""

from dataclasses import replace

import pytest

from core.tasks import TASKS
from core.training import trainer
from core.training.prepare import prepare_run
from core.training.settings import with_settings
from tests.core.conftest import MINIATURE, draw_few
from tests.pages.every_view import CASES, query_of

KINDS = ("bert", "gpt2", "llama", "t5", "gru")
OF_NO_RUN = {("training", "set_up"), ("runs", "compare"), ("heads", "guided")}
"""They show other runs, or none."""


@pytest.fixture(scope="module", params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def folder(kind, tmp_path_factory):
    """A folder with one barely trained run of another kind than the paper's."""
    runs = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        draw_few(patch)
        preset = with_settings(MINIATURE, {"steps": 2} | ({} if kind == "gru" else {"like": kind}))
        if kind == "gru":
            preset = replace(preset, model=replace(preset.model, decoder_mixing=kind))
        prepare_run(runs / kind, TASKS["copy"], "miniature", preset, "python -m core …")
        for _ in trainer.train_run(runs / kind):
            pass
    return runs


@pytest.mark.parametrize(("page", "view"), [each for each in CASES if each not in OF_NO_RUN])
def test_every_view_shows_it_or_says_why_not(open_page, folder, kind, elsewhere, page, view):
    elsewhere("OWN", folder)
    query = query_of(page, view) | {"model": f"runs/{kind}"}
    if page == "runs":
        query["runs"] = f"runs/{kind}"
    at = open_page(page, **query)
    assert not at.exception
    assert not at.error
    drawn = at.get("bidi_component") or at.get("vega_lite_chart") or at.table or at.dataframe
    assert drawn or at.info or at.metric or at.button
