"""First lines that name columns, and pairs that look like them."""

import pytest
from babel import Locale, localedata

from core.tasks import header
from core.tasks.header import is_header


@pytest.mark.parametrize(
    "line",
    [
        "English\tChinese",
        "en\tzh",
        "eng\tfra",
        "英文\t中文",
        "English words/sentences\tFrench words/sentences",
        "English\tFrançais",
        "Deutsch\tEnglisch",
        "francais\tANGLAIS",
        "日本語\t英語",
        "Русский\tАнглийский",
        "العربية\tالإنجليزية",
        "हिन्दी\tअंग्रेज़ी",
        "한국어\t영어",
        "ภาษาอังกฤษ\tภาษาฝรั่งเศส",
        "英文句子\t中文翻译",
        "原文\t译文",
        "원문\t번역문",
        "источник\tперевод",
        "المصدر\tالترجمة",
        "source\tcible",
        "Satz\tÜbersetzung",
        "English\ttranslation",
        "Simplified Chinese\tMandarin",
        "zh-CN\tzh-TW",
        "eng_Latn\tzho_Hans",
        "sentence_en\tsentence_fr",
        "sentence1\tsentence2",
        "sourceText\ttargetText",
        "en\tyue",
        "\ten\tfr",
        "id\teng\tfra",
        "en\tfr\tattribution",
    ],
)
def test_names_of_languages_and_of_columns_are_a_header(line):
    assert is_header(line.split("\t"))


@pytest.mark.parametrize(
    "line",
    [
        # One word in two languages: the first entry of a dictionary.
        "English\tanglais",
        "汉语\tChinese",
        "sentence\tphrase",
        "question\t问题",
        "English words\tmots anglais",
        "Hello\tBonjour",
        "Hi.\t你好。",
        "the\tle",
        "he\ter",
        "is\test",
        "en\ten",
        "1277\teng\t34\tfra",
        "I speak English\tJe parle français",
    ],
)
def test_pairs_are_no_header(line):
    assert not is_header(line.split("\t"))


def test_the_names_of_languages_leave_the_numbers_of_a_language_whole(monkeypatch):
    monkeypatch.setattr(localedata, "_cache", {})
    header._languages.cache_clear()
    assert is_header(["norsk", "engelsk"])
    assert Locale("zh").number_symbols["latn"]["decimal"] == "."
