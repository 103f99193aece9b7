import pytest

from core.decoding.parallel import decode_in_passes, passes_of
from core.decoding.sentence import translate
from core.runs.run import load_run
from tests.core.conftest import GALLERY


def test_the_table_has_a_row_for_each_place_of_each_pass_then_for_the_run_beside():
    run, other = (load_run(GALLERY / name) for name in ("parallel", "either"))
    sentence = "a b c d"
    table = decode_in_passes(run, sentence, 2, other).table()
    passes = passes_of(run, sentence, 2)
    written = translate(other, sentence).written_ids
    n = sum(len(each.token_ids) for each in passes)
    assert {len(column) for column in table.values()} == {n + len(written)}
    expected = [p for each in passes for p in each.probabilities]
    assert table["probability"][:n] == pytest.approx(expected)
    assert table["run"] == ["parallel"] * n + ["either"] * len(written)
    describe = other.target_tokenizer.describe_alone
    assert table["token"][n:] == [token.text for token in describe(written)]
