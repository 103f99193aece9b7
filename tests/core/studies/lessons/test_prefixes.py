import pytest

from core.decoding.sentence import translate
from core.studies.lessons.prefixes import compare_prefixes
from core.vocabulary import BOS


@pytest.fixture
def fed(translation_run):
    translation = translate(translation_run, "The cat slept.")
    return translation.source_ids, (BOS, *translation.target_ids[:12])


def test_every_prefix_alone_gives_what_one_masked_pass_gives(translation_run, fed):
    found = compare_prefixes(translation_run.model, *fed)
    assert found.largest_difference < 1e-5


def test_the_work_is_counted_in_decoder_positions(translation_run, fed):
    source, fed_ids = fed
    found = compare_prefixes(translation_run.model, source, fed_ids[:4])
    assert (found.positions_alone, found.positions_together) == (10, 4)
