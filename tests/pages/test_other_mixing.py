"""Every view of models that mix positions without attention, or with attention of another kind."""

from dataclasses import replace

import pytest

from core.tasks import TASKS
from core.training import trainer
from core.training.prepare import prepare_run
from tests.core.conftest import MINIATURE, draw_few
from tests.pages.every_view import CASES, query_of

VARIED = {
    "averages": {"encoder_mixing": "average", "decoder_mixing": "average"},
    "one stack alone": {"encoder_mixing": "attention", "decoder_mixing": "none"},
    "convolutions": {"encoder_mixing": "convolution", "decoder_mixing": "convolution"},
    "GRU with attention": {
        **{"encoder_mixing": "gru_two_way", "decoder_mixing": "gru", "positions": "none"},
        **{"n_heads": 1, "d_k": 0, "d_v": 0},
    },
    "parallel decoder": {"decoder": "parallel"},
    "LSTM, fixed vector": {
        **{"encoder_mixing": "lstm", "decoder_mixing": "lstm", "cross": "none"},
    },
    "linear attention, BatchNorm, all layers read": {
        **{"scores": "linear", "norm_kind": "batch", "norm": "post", "memory": "mixed"},
    },
    "additive attention, first layer read": {"scores": "additive", "memory": "first"},
}


def _folder(name):
    return name.replace(",", "").replace(" ", "-")


@pytest.fixture(scope="module")
def varied_runs(tmp_path_factory):
    """A folder with a barely trained run of each kind."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        draw_few(patch)
        for name, changes in VARIED.items():
            preset = replace(
                MINIATURE,
                model=replace(MINIATURE.model, **changes),
                training=replace(MINIATURE.training, steps=2),
            )
            path = folder / _folder(name)
            prepare_run(path, TASKS["copy"], "miniature", preset, "python -m core …")
            for _ in trainer.train_run(path):
                pass
    return folder


@pytest.mark.parametrize("name", VARIED)
@pytest.mark.parametrize(
    ("page", "view"), [case for case in CASES if case[0] not in ("experiments", "training", "runs")]
)
def test_every_view_shows_it_or_says_why_not(open_page, varied_runs, elsewhere, name, page, view):
    elsewhere("OWN", varied_runs)
    query = query_of(page, view) | {"model": f"runs/{_folder(name)}", "sentence": "a b c"}
    at = open_page(page, **query)
    assert not at.error
    drawn = at.get("bidi_component") or at.get("vega_lite_chart") or at.get("html") or at.table
    assert drawn or at.info
