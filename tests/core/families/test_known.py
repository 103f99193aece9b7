import pytest

from core.families import FAMILIES, FamilyError, family_of


def test_a_family_is_found_by_its_type():
    assert {name: family_of(name).label for name in FAMILIES} == {
        **{"bert": "BERT", "gpt2": "GPT-2", "llama": "LLaMA", "marian": "Marian", "t5": "T5"}
    }


@pytest.mark.parametrize("name", ["roberta", "", None, 3, ["bert"]])
def test_another_is_refused_and_those_that_are_known_are_named(name):
    with pytest.raises(FamilyError) as refused:
        family_of(name)
    assert repr(name) in str(refused.value)
    assert "known are BERT, GPT-2, LLaMA, Marian, T5" in str(refused.value)
