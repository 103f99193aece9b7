import re
from pathlib import Path

import pytest

from viz.component import assets
from viz.component.assets import assets_of, shared

VIZ = Path(assets.__file__).parents[1]


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A component of two scripts in a folder of its own, beside the shared style."""
    (tmp_path / "component").mkdir()
    (tmp_path / "component" / "shared.css").write_text(".shared {}")
    (tmp_path / "it").mkdir()
    for name, text in {
        "it.html": "<p></p>",
        "it.css": ".own {}",
        "first.js": '// Said of it.\nconst table = "SCALE_AS_BASE64";\n',
        "second.js": 'const url = "http://example/"; // stays\n/** More\n * of it. */\nfirst();\n',
    }.items():
        (tmp_path / "it" / name).write_text(text)
    monkeypatch.setattr(assets, "_VIZ", tmp_path)
    return assets_of("it/it", ("it/first", "it/second"))


def test_scripts_are_joined_in_their_order_and_styles_end_with_the_components_own(written):
    assert written.html == "<p></p>"
    assert written.js.index("const table") < written.js.index("const url")
    assert written.css.index(".shared") < written.css.index(".own")


def test_a_scale_stands_in_the_script_as_256_colours(written):
    [table] = re.findall(r'const table = "([\w+/=]+)"', written.js)
    assert len(table) == 1024


def test_comments_are_not_sent_and_addresses_are_no_comments(written):
    assert "Said of it" not in written.js
    assert "More" not in written.js
    assert "http://example/" in written.js
    assert "first();" in written.js


def test_what_all_components_share_lies_in_one_folder():
    for place in shared("mount", "text", "svg"):
        assert (VIZ / f"{place}.js").is_file()
