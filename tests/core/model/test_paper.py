from dataclasses import replace

from core.model import count_parameters
from core.model.paper import TABLE_3

ROWS = {row.name: row for row in TABLE_3}


def millions(config):
    return count_parameters(config) / 1e6


def test_the_ten_published_counts_of_base_b_and_c_come_out_when_rounded():
    found = [(round(millions(row.config)), row.millions) for row in TABLE_3[:-1]]
    assert len(found) == 10
    assert all(count == published for count, published in found)
    counts = [round(millions(row.config), 1) for row in TABLE_3[:-1]]
    assert counts == [65.1, 58.0, 60.4, 35.7, 50.4, 79.8, 27.9, 168.0, 52.5, 90.3]


def test_big_fits_neither_vocabulary_but_one_of_about_36_000():
    big = ROWS["big"]
    assert big.millions == 213
    assert round(millions(big.config)) != 213
    assert round(millions(replace(big.config, vocab_size=37_000))) != 213
    assert round(millions(replace(big.config, vocab_size=36_000))) == 213
