"""Whatever an address says, a page is drawn: what is no choice of its is passed over.

Every choice is read by a function of its own. Each of them is handed what an address may hold, then
whole pages are opened with addresses that are made of such texts.
"""

import math
import random
import string

import pytest

from classroom.sign_in import is_here
from core.runs.folder import checked_name
from core.runs.run import RunError
from pages import whole
from pages.frame import language, links, session
from pages.frame.session import as_text
from pages.frame.tour import TourError, read_tour
from tests.pages.conftest import ROOT
from tests.pages.every_view import CASES, query_of
from tests.pages.sent import read

HOSTILE = [
    *("", " ", "0", "-1", "1e400", "-inf", "nan", "9" * 30, "9" * 5_000, "0x10", "1_000", "٣", "½"),
    *("true", "True", "null", "None", "undefined", "[]", "{}", "NaN", "1.5", "+1", "1,5", "0:0"),
    *("../../etc/passwd", "/etc/passwd", "runs/../../etc", "runs/.class/Ann", "C:\\Windows", "~"),
    *("<img src=x onerror=alert(1)>", "javascript:alert(1)", "' OR 1=1 --", "%00", "%s%n", "{0}"),
    *("{name.__class__}", "$(id)", "`id`", "\x00", "\r\nSet-Cookie: a=b", "\u202e", "\ud800"),
    *("encoder.0.self:0", "encoder.99.self:0", "decoder.-1.cross:9", ":", ".", ",", "0:", ":0"),
    *("1:2,3:4", "99999:1", "-1:-1", "0:99999999999999999999", "a" * 10_000, "👩‍👩‍👧", "שלום"),
]
N_QUERIES = 10_000
PAGES = sorted(set(links.PAGES))


def random_texts(rng):
    """Yield texts without end: what is known to be hard, parts of it, and signs at random."""
    signs = string.printable + "\x00\u2028\ud800٣éß字😀"
    while True:
        yield rng.choice(HOSTILE)
        cut = rng.choice(HOSTILE)
        yield cut[: rng.randrange(len(cut) + 1)] + rng.choice(HOSTILE)
        yield "".join(rng.choices(signs, k=rng.randrange(12)))
        yield str(rng.choice([rng.randrange(-5, 1_000), 10 ** rng.randrange(40), rng.gauss(0, 9)]))


@pytest.fixture(scope="module")
def readers():
    """What reads each choice of each view: name → functions."""
    return {}


@pytest.fixture
def noting(monkeypatch, readers):
    value = session.value

    def noted(name, read, default, **how):
        readers.setdefault(name, {})[page_and_view[0]] = read
        return value(name, read, default, **how)

    page_and_view = [""]
    monkeypatch.setattr(session, "value", noted)
    return page_and_view


@pytest.mark.slow
def test_ten_thousand_texts_are_choices_or_nothing(noting, readers, open_page):
    for noting[0] in CASES:
        page, name = noting[0]
        open_page(page, **query_of(page, name))
    of_views = [(name, read) for name, found in readers.items() for read in found.values()]
    assert len(of_views) > 200
    texts, rng = random_texts(random.Random(0)), random.Random(1)
    for _ in range(N_QUERIES):
        name, read = rng.choice(of_views)
        text = next(texts)
        found = read(text)
        if found is None:
            continue
        # What was read is a choice that links can name, and that is read from them again.
        assert read(as_text(found)) == found, (name, text)
        assert not isinstance(found, float) or math.isfinite(found)


@pytest.mark.slow
def test_ten_thousand_names_lead_nowhere(tmp_path):
    texts = random_texts(random.Random(2))
    for _ in range(N_QUERIES):
        text = next(texts)
        with pytest.raises(TourError):
            read_tour(text)
        assert language.spoken(text) in ("", *language.languages())
        if is_here(text):
            assert text.startswith("/")
            assert not text.startswith("//")
        try:
            name = checked_name(text)
        except RunError:
            continue
        assert (tmp_path / name).parent == tmp_path
        assert name[0] != "."


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))]
)
@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_drawn_whatever_its_address_says(open_page, readers, page, seed):
    rng = random.Random(f"{page} {seed}")
    texts = random_texts(rng)
    names = sorted(readers) or ["model", "sentence", "layer", "head", "kind", "seed", "view"]
    names = [*names, "runs", "tour", "stop", "lang", "pins", "silent", "overrides", "off", "odd"]
    if page == links.FIRST_PAGE:
        # These lead on to Attention, which is drawn here, too.
        names = [name for name in names if name not in {"view", *whole.OF_MAPS}]
    # What no browser can send is left out: an address is UTF-8.
    query = {
        name: [next(texts).encode("utf-8", "replace").decode() for _ in range(2)]
        for name in rng.sample(names, min(20, len(names)))
        if name not in ("model", "experiment")
    }
    at = open_page(
        page, **({"model": None} if page in ("glossary", "quiz", "tour") else {}) | query
    )
    assert "root:" not in read(at)
    assert str(ROOT) not in read(at)
