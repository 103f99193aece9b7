"""How long it takes to draw all heads, beside BertViz's model view of the same weights.

Run from the repository root: python -m benchmarks.model_view

Ours: from a click, through the server that packs the maps, to the end of the frame that shows them.
BertViz: from the beginning of its script in a page that is loaded already to the end of the frame
that shows its drawing; its page's making, sending and loading are not counted. Both in turn in one
Chromium. Needs requirements-bench.txt, which has the libraries that BertViz asks the network for.
"""

import statistics
from importlib.resources import files

import torch
from bertviz import model_view
from playwright.sync_api import Browser, Page, Route

from benchmarks.attention_maps import new_maps, shown
from benchmarks.measuring import MAPS_APP, chromium
from benchmarks.weights import rows_of_softmax
from tests.browser.conftest import served

ROUNDS, WARM_UP = 10, 1
LAYERS, HEADS = 6, 8
LENGTHS = (32, 128)
# BertViz loads two libraries through a third, which here hands over what is on the page already.
REQUIRE = "window.require = {config() {}};"
REQUIRE += "window.requirejs = (names, run) => run(window.jQuery, window.d3);"
LIBRARIES = {
    "jquery": files("xstatic.pkg.jquery") / "data" / "jquery.min.js",
    "d3": files("mpld3") / "js" / "d3.v5.min.js",
}
DRAWN = """async (script) => {
    const start = performance.now();
    const node = document.createElement("script");
    node.textContent = script;
    document.body.append(node);
    await new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)));
    return performance.now() - start;
}"""


def main() -> None:
    """Measure both at every length and print them as a table."""
    print(f"{'tokens':>7}{'ours ms':>10}{'BertViz ms':>12}{'ratio':>8}   {LAYERS} × {HEADS} heads")
    with served(MAPS_APP) as address, chromium() as browser:
        for tokens in LENGTHS:
            page = shown(browser, address, f"{LAYERS}x{HEADS}x{tokens}")
            html, script = written(tokens)
            pairs = [
                (new_maps(page), drawn(browser, tokens, html, script))
                for _ in range(WARM_UP + ROUNDS)
            ][WARM_UP:]
            page.close()
            if None in [own for own, _ in pairs]:
                print(f"{tokens:>7}{'missing':>10}", flush=True)
                continue
            ours, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
            ratio = statistics.median(other / own for own, other in pairs)
            print(f"{tokens:>7}{ours:>10.1f}{theirs:>12.0f}{ratio:>8.1f}", flush=True)


def written(tokens: int) -> tuple[str, str]:
    """Return BertViz's page without its script, and the script."""
    weights = rows_of_softmax(LAYERS, HEADS, tokens, tokens)
    attention = [torch.from_numpy(layer)[None] for layer in weights]
    labels = [f"word{i}" for i in range(tokens)]
    page = model_view(attention=attention, tokens=labels, html_action="return").data
    html, _, rest = page.rpartition('<script type="text/javascript">')
    return html, rest.rpartition("</script>")[0]


def drawn(browser: Browser, tokens: int, html: str, script: str) -> float:
    """Return how many milliseconds BertViz's script takes to its drawing's frame."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.route("**/*", handed_over)
    page.set_content(html)
    for library in LIBRARIES.values():
        page.add_script_tag(content=library.read_text(encoding="utf-8"))
    page.wait_for_timeout(250)
    milliseconds = float(page.evaluate(DRAWN, script))
    check_drawn(page, tokens)
    page.close()
    return milliseconds


def handed_over(route: Route) -> None:
    """Answer for the network."""
    route.fulfill(body=REQUIRE, content_type="text/javascript")


def check_drawn(page: Page, tokens: int) -> None:
    """Make sure that what was measured is the picture: a line for each pair of every head."""
    lines = page.evaluate("document.querySelectorAll('#vis line').length")
    if lines != LAYERS * HEADS * tokens**2:
        raise RuntimeError(f"BertViz has drawn {lines} lines")


if __name__ == "__main__":
    main()
