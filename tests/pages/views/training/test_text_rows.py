import re

from streamlit.testing.v1 import AppTest


def _hostile_rows():
    from pages.views.training.text_rows import show_table

    show_table([("<img src=x> & \"'", "<b>bold</b>")], widths=(50, 50), header=("<i>", "b"))


def test_texts_of_a_model_are_shown_as_they_are():
    body = AppTest.from_function(_hostile_rows).run().get("html")[-1].proto.body
    assert body.count("&lt;img src=x&gt; &amp; &quot;&#x27;") == 2
    assert not {"<img", "<b>", "<i>"} & set(re.findall(r"<\w+>?", body))
