"""Make the README's pictures anew from the running app: python -m docs.screenshots."""

from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import launched, served

HERE = Path(__file__).parent
VIEWS = {"attention-light": "light", "attention-dark": "dark"}


def main() -> None:
    """Photograph the page that opens first, with the pointer on "it" → "animal"."""
    with served(HERE.parent / "app.py") as address, sync_playwright() as playwright:
        browser = launched(playwright.chromium)
        for name, scheme in VIEWS.items():
            page = browser.new_page(
                viewport={"width": 1280, "height": 800}, device_scale_factor=2, color_scheme=scheme
            )
            page.goto(address)
            page.locator(".maps[data-drawn]").wait_for()
            page.wait_for_timeout(1500)
            tokens = page.locator(".chips.source .chip").all_inner_texts()
            box = page.locator(".cells").bounding_box()
            size = box["width"] / len(tokens)
            page.mouse.move(
                box["x"] + (tokens.index("animal") + 0.5) * size,
                box["y"] + (tokens.index("it") + 0.5) * size,
            )
            page.wait_for_timeout(300)
            page.screenshot(path=HERE / f"{name}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
