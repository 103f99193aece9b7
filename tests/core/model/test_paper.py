from dataclasses import replace

from core.model import count_parameters
from core.model.paper import TABLE_3

ROWS = {row.name: row for row in TABLE_3}


def millions(config):
    return count_parameters(config) / 1e6


def test_the_table_has_every_row_once():
    assert len(ROWS) == len(TABLE_3) == 20
    assert [row.name[0] for row in TABLE_3] == list("bAAAABBCCCCCCCDDDDEb")


def test_the_ten_published_counts_of_base_b_and_c_come_out_when_rounded():
    found = [(round(millions(row.config)), row.millions) for row in TABLE_3[:-1] if row.millions]
    assert len(found) == 10
    assert all(count == published for count, published in found)
    counts = [round(millions(row.config), 1) for row in TABLE_3[:-1] if row.millions]
    assert counts == [65.1, 58.0, 60.4, 35.7, 50.4, 79.8, 27.9, 168.0, 52.5, 90.3]


def test_the_vocabulary_usually_quoted_gives_another_base():
    assert round(millions(replace(ROWS["base"].config, vocab_size=37_000)), 1) == 63.1


def test_big_fits_neither_vocabulary_but_one_of_about_36_000():
    big = ROWS["big"]
    assert big.millions == 213
    assert round(millions(big.config)) != 213
    assert round(millions(replace(big.config, vocab_size=37_000))) != 213
    assert round(millions(replace(big.config, vocab_size=36_000))) == 213


def test_heads_of_rows_a_and_c_divide_the_width_and_those_of_row_b_do_not():
    for name in ("A h=1", "A h=4", "A h=16", "A h=32", "C d_model=256", "C d_model=1024", "big"):
        config = ROWS[name].config
        assert config.n_heads * config.d_k == config.n_heads * config.d_v == config.d_model
    assert [
        (ROWS[name].config.d_k, ROWS[name].config.d_v) for name in ("B d_k=16", "B d_k=32")
    ] == [
        (16, 64),
        (32, 64),
    ]


def test_no_label_smoothing_has_the_better_perplexity_and_the_worse_bleu():
    base, sharp = ROWS["base"], ROWS["D ε_ls=0.0"]
    assert (base.label_smoothing, sharp.label_smoothing) == (0.1, 0.0)
    assert sharp.perplexity < base.perplexity and sharp.bleu < base.bleu
    assert [ROWS[name].dropout for name in ("base", "D P_drop=0.0", "D P_drop=0.2", "big")] == [
        0.1,
        0.0,
        0.2,
        0.3,
    ]
