import numpy as np
import pytest

from core.heads import Head, Site
from core.studies.lessons.batch_head import head_of_batch
from core.studies.lessons.masking import MASKS, PaddedBatch, attended, leak, read_sources
from core.vocabulary import BOS

SENTENCES = ("ab cd ef gh", "a", "bc d")


@pytest.fixture
def batch(copy_run):
    """Sources of different lengths, each fed to the decoder as its own target."""
    sources, cut = read_sources(copy_run, SENTENCES)
    return PaddedBatch(sources, tuple((BOS, *row[:-1]) for row in sources), cut)


@pytest.mark.parametrize("without", [(), MASKS])
def test_one_head_of_one_sentence_is_cut_out_of_the_whole_batch(copy_run, batch, without):
    site = Site("encoder", 1, "self")
    whole = attended(copy_run.model, batch, site, without)
    found = head_of_batch(copy_run.model, batch, Head(site, 1), 2, without)
    np.testing.assert_array_equal(found.visible_QK, whole.visible_BQK[2])
    np.testing.assert_array_equal(found.scores_QK, whole.scores_BHQK[2, 1])
    np.testing.assert_array_equal(found.weights_QK, whole.weights_BHQK[2, 1])
    hidden_QK = np.where(found.visible_QK, found.scores_QK, -np.inf)
    np.testing.assert_array_equal(found.masked_scores_QK, hidden_QK)
    sums = whole.weights_BHQK[:, 1].astype(np.float64).sum(axis=-1)
    assert found.row_sums == (sums.min(), sums.max()) == pytest.approx((1, 1), abs=1e-5)
    assert found.leak == leak(whole.weights_BHQK, batch, Head(site, 1))
