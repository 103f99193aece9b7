"""What `test_texts` looks for is found where it is."""

import pytest

from tests import escaping_texts, messages_of_core, texts_of_scripts

WRONG = [
    (escaping_texts.escaping, 'def draw(n):\n    st.text(f"{n} heads")'),
    (escaping_texts.escaping, 'def draw():\n    st.button("Heads")'),
    (escaping_texts.escaping, 'def draw(n, m):\n    return f"{n} of {m} heads"'),
    (escaping_texts.in_f_strings, "def draw():\n    st.text(f\"{_('Heads')}: 3\")"),
    (escaping_texts.frozen, 'class Shown:\n    title = _("Heads")'),
    (escaping_texts.put_together, '_("{n} heads".format(n=n))'),
    (escaping_texts.put_together, '_("{share:.1f} points")'),
    (escaping_texts.formatted, 'text = f"{value:.3g}"'),
    (escaping_texts.written_by_streamlit, 'numeric(label, format="%.2f %%")'),
    (escaping_texts.unmarked, 'TEXTS = {"a": "Heads", "b": N_("Heads")}'),
    (messages_of_core.put_together, 'raise RunError(f"{path}: no such folder")'),
    (messages_of_core.filled_otherwise, 'Message("{n} tokens", m=3)'),
    (texts_of_scripts.of_script, "node.ariaLabel = `layer ${layer}`;"),
    (texts_of_scripts.of_script, 'n.toLocaleString("en")'),
    (texts_of_scripts.of_markup, '<div aria-label="Heads"></div>'),
]
RIGHT = '''
MARKED = N_("Heads")


def draw(n):
    """Draw so many heads."""
    st.caption(_(MARKED))
    st.text(n_("{n} head", "{n} heads", n).format(n=number(n)))
    st.button("CSV", icon=":material/science:", key="go_on")
    st.latex(r"\\text{where } x \\text{ is hidden}")
    return open_page("heads", step=f"{n:02d}")
'''


@pytest.mark.parametrize(("rule", "source"), WRONG)
def test_a_text_that_no_language_reaches_is_found(rule, source, tmp_path):
    file = tmp_path / "page.py"
    file.write_text(source)
    assert rule(file)


@pytest.mark.parametrize("rule", dict.fromkeys(rule for rule, _ in WRONG[:10]))
def test_translated_texts_names_and_formulas_are_passed_over(rule, tmp_path):
    file = tmp_path / "page.py"
    file.write_text(RIGHT)
    assert not rule(file)
