import json

from streamlit.testing.v1 import AppTest


def _steps_read(path):
    import streamlit as st

    from pages.views.training import progress

    st.text(" ".join(str(row["step"]) for row in progress.rows(path)))


def test_whole_lines_are_read_whenever_the_file_has_changed(tmp_path):
    file = tmp_path / "metrics.jsonl"
    at = AppTest.from_function(_steps_read, kwargs={"path": tmp_path})

    def steps(text):
        file.write_text(text)
        return at.run().text[0].value

    lines = [json.dumps({"step": step}) + "\n" for step in (10, 20, 30)]
    assert steps("".join(lines[:2])) == "10 20"
    assert steps("".join(lines)[:-3]) == "10 20"
    assert steps("".join(lines)) == "10 20 30"
    assert steps(lines[0]) == "10"
