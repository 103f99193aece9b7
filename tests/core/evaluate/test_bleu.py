"""What BLEU counts in each script; the expected scores are sacrebleu's own."""

import pytest
import sacrebleu

from core.evaluate.bleu import bleu_tokens, corpus_bleu

TEXTS = {
    "English": (["The white cat sleeps."], "13a"),
    "Persian": (["گربه\u200cی سفید می\u200cخوابد."], "13a"),
    "Chinese": (
        ["白色的猫在睡觉。", "他看见了一只狗。", "我昨天买了三本书。", "她不想去学校。"],
        "zh",
    ),
    "Japanese": (["白い猫が寝ています。"], "char"),
    "Thai": (["แมวสีขาวกำลังนอนหลับ"], "char"),
    "Burmese": (["ကြောင်ဖြူအိပ်နေသည်"], "char"),
    "English with Chinese words": (["The word 猫 means cat."], "13a"),
    "no letters": (["1 2 3", ""], "13a"),
}


@pytest.mark.parametrize(("texts", "tokens"), TEXTS.values(), ids=TEXTS)
def test_bleu_counts_what_the_script_of_the_references_has(texts, tokens):
    said = [text.replace("。", "!") for text in texts]
    assert bleu_tokens(texts) == tokens
    found = corpus_bleu(said, [texts])
    assert found.score == pytest.approx(
        sacrebleu.corpus_bleu(said, [texts], tokenize=tokens, force=True).score
    )
    assert f"tok:{tokens}|" in found.signature
    assert f"version:{sacrebleu.__version__}" in found.signature
