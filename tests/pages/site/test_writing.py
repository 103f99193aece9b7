"""A site: its pages lead to each other and to what they need, and its command refuses by name."""

import re
import shutil
from urllib.parse import unquote

import pytest

from core.installed import GALLERY
from pages.site.__main__ import main
from pages.site.writing import write_site


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site of two runs."""
    out = tmp_path_factory.mktemp("site")
    second = tmp_path_factory.mktemp("runs") / "my run #2"
    shutil.copytree(GALLERY / "copy", second)
    assert write_site(out, [GALLERY / "copy-learned", second]) < 4e6
    return out


def test_pages_lead_to_each_other_and_fetch_nothing_else(site):
    pages = sorted(site.glob("*.html"))
    assert [page.name for page in pages] == [
        *("index.html", "index.zh_CN.html", "my run #2.html", "my run #2.zh_CN.html")
    ]
    for page in pages:
        text = page.read_text()
        leads = set(re.findall(r'<a href="([^"]+)"', text))
        assert len(leads) == 2 and all((site / unquote(name)).is_file() for name in leads)
        assert re.findall(r'<script src="([^"]+)"', text) == ["pass.js"]
        [model] = re.findall(r'"model": "([^"]+)"', text)
        assert (site / unquote(model)).is_file() and (site / "pass.js").is_file()
        assert not re.search(r"https?://", re.sub(r"http://www.w3.org/\S+", "", text))


def test_each_page_is_in_its_language(site):
    english, chinese = ((site / f"index{each}.html").read_text() for each in ("", ".zh_CN"))
    assert '<html lang="en">' in english and "Sentence" in english
    assert '<html lang="zh-CN">' in chinese and "句子" in chinese


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (["nowhere"], "nowhere: no such folder"),
        ([f"{GALLERY}/parallel"], "decoder: parallel"),
        ([f"{GALLERY}/copy", f"{GALLERY}/copy"], "the name copy"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(tmp_path, capsys, runs, said):
    assert main([str(tmp_path / "out"), *runs]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
