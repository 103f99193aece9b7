"""A site in a real browser, opened from a file where there is no network."""

import pytest
from playwright.sync_api import expect

from core.installed import GALLERY
from pages.site.writing import write_site

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site")
    assert write_site(out, [GALLERY / "everyday", GALLERY / "copy"]) < 30e6
    return out


@pytest.fixture
def page(browser, site):
    window = browser.new_context(offline=True, viewport={"width": 1280, "height": 720})
    page = window.new_page()
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text))
    page.goto((site / "index.html").as_uri())
    yield page
    window.close()
    assert faults == []


def seen(page):
    return page.locator(".seen")


def test_an_example_is_there_before_the_model(browser, site):
    window = browser.new_context(offline=True)
    page = window.new_page()
    page.route("**/*.model.js", lambda route: route.abort())
    page.goto((site / "index.html").as_uri())
    expect(seen(page)).to_contain_text("“it” looks at animal")
    page.locator(".whole[data-drawn]").wait_for()
    page.get_by_role("button", name="wide").click()
    expect(seen(page)).to_contain_text("“it” looks at street")
    expect(page.locator(".state")).to_contain_text("could not be loaded")
    window.close()


def test_own_sentences_are_computed_and_the_address_keeps_them(page, site):
    box = page.get_by_role("textbox", name="Sentence", exact=True)
    box.fill("The cats saw the old dog.")
    box.press("Enter")
    expect(seen(page)).to_contain_text("Les chats ont vu le vieux chien.")
    box.fill("I love you.")
    box.press("Enter")
    expect(seen(page)).to_contain_text("Je t'aime.")
    page.go_back()
    page.reload()
    expect(seen(page)).to_contain_text("Les chats ont vu le vieux chien.")
    expect(box).to_have_value("The cats saw the old dog.")


def test_a_head_is_silenced_and_speaks_again(page):
    expect(page.locator(".state")).to_contain_text("Computed in this browser")
    page.locator("button[data-site='encoder.2.self']").first.click()
    page.get_by_role("button", name="Silence head 0").click()
    expect(seen(page)).to_contain_text("Without encoder layer 2, head 0, “il” at step 11 goes from")
    assert not page.locator(".way").count()
    page.get_by_role("button", name="all heads on").click()
    expect(seen(page)).to_contain_text("“it” looks at animal")


def test_a_true_translation_is_fed_to_the_decoder(page):
    box = page.get_by_role("textbox", name="Reference")
    box.fill("L'animal dort.")
    box.press("Enter")
    expect(page.locator(".said")).to_contain_text("gives the true next word")
    expect(page.locator(".words")).to_contain_text("dort")


def test_a_model_and_a_language_are_a_link(page):
    page.get_by_role("link", name="copy").click()
    page.get_by_role("link", name="中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    expect(seen(page)).to_contain_text("k d a f q z")
