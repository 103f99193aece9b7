import pytest
import sacrebleu

from core.config.training import TrainConfig
from core.training.rewards import reward_of
from core.vocabulary import EOS

TRUE = "La chèvre a évité le pont parce qu'elle avait soif."
SAID = [
    TRUE,
    "La chèvre a évité les ponts parce qu'elle avait soif.",
    "La chèvre",
    "soif soif soif",
    "",
]


def ids(tokenizer, text):
    return (*tokenizer.encode(text).ids, EOS)


def reward(tokenizer, name, objective="reinforce"):
    return reward_of(TrainConfig(objective=objective, reward=name), tokenizer)


@pytest.mark.parametrize("said", SAID)
def test_bleu_of_a_sentence_is_sacrebleus_from_0_to_1(tokenizer, said):
    found = reward(tokenizer, "bleu")(ids(tokenizer, said), ids(tokenizer, TRUE))
    expected = sacrebleu.sentence_bleu(said, [TRUE], use_effective_order=True).score / 100
    assert found == pytest.approx(expected, abs=1e-9)
    assert 0 <= found <= 1


@pytest.mark.parametrize(
    ("true", "said", "tokens"),
    [
        ("白色的猫在睡觉。", "白色的狗在睡觉。", "zh"),
        ("白い猫が寝ています。", "白い犬が寝ています。", "char"),
        ("แมวสีขาวนอนหลับ", "แมวสีดำนอนหลับ", "char"),
    ],
)
def test_bleu_as_a_reward_counts_characters_where_there_are_no_spaces(
    tokenizer, true, said, tokens
):
    right, found = (
        reward(tokenizer, "bleu")(ids(tokenizer, text), ids(tokenizer, true))
        for text in (true, said)
    )
    expected = sacrebleu.sentence_bleu(said, [true], tokenize=tokens, use_effective_order=True)
    assert right == pytest.approx(1)
    assert found == pytest.approx(expected.score / 100, abs=1e-9)


def test_what_is_right_is_worth_1_and_all_else_nothing(tokenizer):
    exact = reward(tokenizer, "exact")
    assert [exact(ids(tokenizer, said), ids(tokenizer, TRUE)) for said in SAID] == [1, 0, 0, 0, 0]
    # Right but for its end, it was cut.
    assert exact(ids(tokenizer, TRUE)[:-1], ids(tokenizer, TRUE)) == 0


def test_a_constant_reward_says_nothing_of_the_sentence(tokenizer):
    constant = reward(tokenizer, "constant")
    assert {constant(ids(tokenizer, said), ids(tokenizer, TRUE)) for said in SAID} == {1.0}


def test_the_cross_entropy_needs_no_reward(tokenizer):
    assert reward_of(TrainConfig(), tokenizer) is None
