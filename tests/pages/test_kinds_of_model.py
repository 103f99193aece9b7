"""Every view of models of another kind than the gallery's, which were barely trained."""

import json
from dataclasses import replace

import pytest

from core.tasks import TASKS
from core.training import trainer
from core.training.prepare import prepare_run
from core.training.settings import with_settings
from tests.core.conftest import MINIATURE, draw_few, unlisted
from tests.pages.every_view import CASES, each_view_of, query_of

LIKE = ("bert", "gpt2", "llama", "t5")
"""Models that are put together as those of another paper."""
CHANGED = {
    "post-norm, untied, learned, one layer, one head": {
        **{"n_encoder_layers": 1, "n_decoder_layers": 1, "n_heads": 1, "d_k": 3, "d_v": 7},
        **{"norm": "post", "positions": "learned", "tied": False, "max_positions": 40},
    },
    "one matrix, no norm, no output projection": {
        **{"shared": "qkv", "norm_kind": "none", "output_projection": False},
    },
    "attention alone, nothing added, nothing projected": {
        **{"feed_forward": False, "residual": False, "projections": False},
    },
    "parallel, its length predicted": {"decoder": "parallel", "length": "predicted"},
    "odd width": {"positions": "learned", "d_model": 15, "d_k": 4, "d_v": 4, "max_positions": 20},
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
    "the paper's, its pairs gone": {},
}
KINDS = (*LIKE, *CHANGED)


@pytest.fixture(scope="session")
def folder_of(tmp_path_factory):
    """Return a function that returns a folder with one run of a kind, called `run`."""
    folders = tmp_path_factory.mktemp("kinds")

    def prepared(kind):
        runs = folders / str(KINDS.index(kind))
        if runs.exists():
            return runs
        preset = replace(MINIATURE, training=replace(MINIATURE.training, steps=2))
        if kind in LIKE:
            preset = with_settings(preset, {"like": kind})
        else:
            preset = replace(preset, model=replace(preset.model, **CHANGED[kind]))
        with pytest.MonkeyPatch.context() as patch:
            draw_few(patch)
            prepare_run(runs / "run", TASKS["copy"], "miniature", preset, "python -m core …")
            for _ in trainer.train_run(runs / "run"):
                pass
        if kind.endswith("pairs gone"):
            file = unlisted(runs / "run") / "run.json"
            file.write_text(json.dumps(json.loads(file.read_text()) | {"task": "pairs.tsv"}))
        return runs

    return prepared


@pytest.mark.parametrize(("kind", "page", "view"), each_view_of(KINDS))
def test_a_view_shows_it_or_says_why_not(open_page, folder_of, elsewhere, kind, page, view):
    elsewhere("OWN", folder_of(kind))
    query = query_of(page, view) | {"model": "runs/run", "sentence": "a b c"}
    if view == "run":
        query["runs"] = "runs/run"
    at = open_page(page, **query)
    assert not at.exception
    # Where the pairs are gone, a view that needs them says so.
    assert not at.error or "pairs" in at.error[0].value
    drawn = at.get("bidi_component") or at.get("vega_lite_chart") or at.table or at.dataframe
    assert drawn or at.get("html") or at.info or at.metric or at.button or at.error


@pytest.mark.parametrize(
    "kind", [each for each in CHANGED if "pairs gone" not in each and "length" not in each]
)
def test_a_sentence_is_cut_where_a_model_has_no_more_positions(
    open_page, folder_of, elsewhere, kind
):
    elsewhere("OWN", folder_of(kind))
    at = open_page("masks", model="runs/run", sentence="a b c d " * 30)
    assert not at.error
    assert any("The sentence was cut" in caption.value for caption in at.caption)


@pytest.mark.parametrize(
    ("page", "view"), [case for case in CASES if case[0] not in ("experiments", "training", "runs")]
)
def test_a_view_shows_a_name_that_was_typed_or_says_why_not(open_page, page, view):
    query = query_of(page, view) | {"model": "copying", "sentence": "Kowalski sees the red book"}
    at = open_page(page, **query)
    assert not at.exception
    assert not at.error
    drawn = at.get("bidi_component") or at.get("vega_lite_chart") or at.get("html") or at.table
    assert drawn or at.info
