"""Keys for whoever shows the app to others: arrows through a tour, P for a view that fills a room.

All of it happens in the browser: what is shown, and how, does not depend on who looks from afar.
"""

from collections.abc import Sequence

MAGNIFIED = 1.7
"""So many times: labels of 12 pixels have more than 20 then."""

# By what they are, not by their buttons: a chart has some, too.
_CONTROLS = (
    ".stSelectbox, .stTextInput, .stTextArea, .stButtonGroup, .stRadio, .stCheckbox, .stSlider, "
    ".stNumberInput, .stExpander, .stFileUploader, .stMultiSelect, .stPageLink, .stButton, "
    ".stDownloadButton, .stMenuButton, .stCode"
)
# Controls are hidden, not taken away: a tour's keys press its buttons. A component is told through
# properties which of its parts to hide (its controls, and what only says again what is seen), how
# small its letters may be, and how far its parts stand from each other.
STYLE = """
<style>
:root[data-presenting] {
  --magnified: MAGNIFIED;
  --smallest-text: 12px;
  --control: none;
  --steps: none;
  --less-probable: none;
  --aside: none;
  --title-size: 13.5px;
  --between: 3px;
  --scale-width: 130px;
  --beside-title: -18px;
}
[data-presenting] .stMainBlockContainer {
  zoom: MAGNIFIED;
  max-width: none;
  padding: 0.2rem 1rem;
}
[data-presenting] :is(header.stAppHeader, .stElementToolbar, .stExpander) { display: none; }
[data-presenting] .stMainBlockContainer :is(.stVerticalBlock, .stHorizontalBlock) { gap: 0.2rem; }
[data-presenting] :is(.stVerticalBlock, .stHorizontalBlock):empty { display: none; }
[data-presenting] :is(.st-key-taken, .st-key-explained, .st-key-lesson_text, .st-key-opening,
  .st-key-claim, .st-key-size_said, .st-key-sentence_of_batch, .st-key-costs_said,
  .st-key-sizes_said, .st-key-followed, .st-key-done_said, .st-key-forecast, .st-key-tour_text,
  .st-key-tour_task, .st-key-tour_leave) { display: none; }
[data-presenting] .stElementContainer:has(> :is(CONTROLS)):not(.st-key-tour_onward *),
/* What stands before a control, in the same row, only names it. */
[data-presenting] .stHorizontalBlock
  > .stElementContainer:has([data-testid="stCaptionContainer"]):has(
  + .stElementContainer > :is(CONTROLS)),
[data-presenting] :has(> .stPopover) {
  display: none;
}
/* The picture has the room: what is said takes no more of it than the back row needs. */
[data-presenting] .stMainBlockContainer .stMarkdown p { font-size: 13px; line-height: 1.35; }
[data-presenting] .stMainBlockContainer :is([data-testid="stCaptionContainer"] p, .stTable) {
  font-size: 12px;
  line-height: 1.35;
}
[data-presenting] .st-key-seen { min-height: 0; }
/* The box that asks for a sentence is hidden: what is in it is said where no picture holds it. */
.st-key-sentence_said { display: none; }
[data-presenting] .st-key-sentence_said { display: flex; }
[data-presenting] .stMainBlockContainer .stMarkdown small { font-size: inherit; }
/* Side by side, charts would have no room for letters of this size. */
[data-presenting] .stHorizontalBlock:has(> .stColumn .stVegaLiteChart):not(
  :has(> .stColumn > * > .stElementContainer > .stBidiComponent)) { flex-direction: column; }
[data-presenting] .stHorizontalBlock:has(> .stColumn .stVegaLiteChart):not(
  :has(> .stColumn > * > .stElementContainer > .stBidiComponent)) > .stColumn { width: 100%; }
/* A chart measures its place as it is seen, and is then magnified with all else. */
[data-presenting] .stElementContainer:has(:is(.stVegaLiteChart, .stDataFrame)) {
  width: calc(100% / MAGNIFIED);
}
/* One that has a width of its own is never wider than that. */
[data-presenting] .stVegaLiteChart svg.marks {
  max-width: calc(100vw / MAGNIFIED - 2rem);
  height: auto;
}
[data-presenting] .stVegaLiteChart svg text:is([font-size="10px"], [font-size="11px"]) {
  font-size: 12px;
}
/* Where a screen is low, a chart is drawn smaller, and its letters as large as they were. */
@media (max-height: 850px) {
  [data-presenting] .stVegaLiteChart svg.marks {
    max-height: calc(100vh / MAGNIFIED - 96px);
    width: auto;
    overflow: visible;
  }
  [data-presenting] .stVegaLiteChart svg text:not([font-size="16px"]) { font-size: 15px; }
  /* One beside a picture is narrow, and so low that it is not drawn smaller. */
  [data-presenting] .stHorizontalBlock:has(> .stColumn > * > .stElementContainer > .stBidiComponent)
    .stVegaLiteChart svg text:not([font-size="16px"]) { font-size: 12px; }
}
/* What a stop asks to click is no larger than it has to be. */
[data-presenting] :is(.stButtonGroup, .st-key-opening) button { min-height: 0; padding: 0 0.4rem; }
[data-presenting] :is(.stButtonGroup, .st-key-opening) button p { font-size: 12px; }
[data-presenting] .st-key-opening .stButton { height: auto; }
/* The question stands on a line of its own, larger than all else. */
[data-presenting] .st-key-tour .stHorizontalBlock { gap: 0 0.8rem; flex-wrap: wrap; }
[data-presenting] .st-key-tour p { margin: 0; }
[data-presenting] .st-key-tour .stHorizontalBlock > .stColumn { width: auto; min-width: 0; }
[data-presenting] .st-key-tour .stHorizontalBlock > .stColumn:nth-child(1) { flex: 1 1 0; }
[data-presenting] .st-key-tour .stHorizontalBlock > .stColumn:nth-child(2) {
  order: 3;
  flex: 0 0 100%;
}
[data-presenting] .st-key-tour .stHorizontalBlock > .stColumn:nth-child(3) { flex: none; }
[data-presenting] .st-key-tour .stHorizontalBlock > .stColumn:nth-child(2) p { font-size: 16.5px; }
/* What goes on is there for whoever has no keys, as small as can be hit. */
[data-presenting] .st-key-tour_onward { flex-flow: row nowrap; width: max-content; }
[data-presenting] .st-key-tour_onward :is(.stElementContainer, .stHorizontalBlock) { width: auto; }
[data-presenting] .st-key-tour_onward button { min-height: 0; padding: 0 0.2rem; }
[data-presenting] .st-key-tour_onward [data-testid="stMarkdownContainer"] {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
}
/* A text without its margin would be drawn over the one above. */
[data-presenting] .st-key-tour_text { margin-top: 1rem; }
[data-presenting] .st-key-tour_text [data-testid="stMarkdownContainer"] { margin-bottom: 0; }
[data-presenting] .stMainBlockContainer .st-key-tour { border: 0; padding: 0 0 0.35rem; }
.pointed-at { display: none; }
/* Before the pointer has moved nobody knows where it is. */
[data-presenting] .pointed-at[style] {
  display: block;
  position: fixed;
  z-index: 1000000;
  left: 0;
  top: 0;
  width: 52px;
  height: 52px;
  margin: -26px 0 0 -26px;
  border: 7px solid darkorange;
  border-radius: 50%;
  outline: 2px solid Canvas;
  pointer-events: none;
  transition: opacity 0.5s;
}
/* At rest it would only cover what it was led to. */
[data-presenting] .pointed-at[data-resting] { opacity: 0; }
</style>
""".replace("MAGNIFIED", str(MAGNIFIED)).replace("CONTROLS", _CONTROLS)

RESTS_AFTER = 2
"""Seconds without a movement of the pointer."""
STEPS = "steps"
"""Not the key of an element: the buttons that go from step to step, in a component."""


def shown_too(keys: Sequence[str]) -> str:
    """Return a style that leaves these elements in sight, because a stop asks to click them.

    Args:
        keys: Those of the elements, or `STEPS`.
    """
    rules = [":root[data-presenting] { --steps: flex; }"] if STEPS in keys else []
    for key in keys:
        element = f':is(.st-key-{key}, [class*="st-key-{key}--"])'
        rules += [
            f"[data-presenting] .st-key-opening:has({element}) {{ display: flex; }}",
            f"[data-presenting] .stElementContainer{element} {{ display: block !important; }}",
            f"[data-presenting] .stVerticalBlock{element} {{ display: flex; }}",
        ]
    return f"<style>{' '.join(rules)}</style>"


# Keys mean something wherever they mean nothing else: not where somebody types or chooses.
SCRIPT = """
<script>
if (!window.knowsKeys) {
    window.knowsKeys = true;
    const {dataset} = document.documentElement;
    const press = (name) => document.querySelector(`.st-key-tour_${name} button:enabled`)?.click();
    const present = (wanted) => {
        if (wanted) dataset.presenting = "true";
        else delete dataset.presenting;
        sessionStorage.setItem("presenting", wanted ? "yes" : "");
    };
    const keys = {
        ArrowLeft: () => press("back"),
        ArrowRight: () => press("next"),
        a: () => press("reveal"),
        p: () => present(!dataset.presenting),
        Escape: () => present(false),
    };
    const typed = "input:not([type=range]), textarea, select, [contenteditable=true]";
    const moved = "[role], [tabindex]";
    addEventListener("keydown", (event) => {
        const key = event.key.length > 1 ? event.key : event.key.toLowerCase();
        const held = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
        if (!keys[key] || held || event.defaultPrevented) return;
        let at = document.activeElement;
        while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
        if (at.matches(typed)) return;
        const goes = key.startsWith("Arrow");
        const plain = at === document.body || at.matches("a, button");
        const takes = at.matches(moved) || at.closest("[role=radiogroup], [role=group]");
        if (goes && (!plain || takes || at.getRootNode() !== document)) return;
        keys[key]();
    });
    const pointer = document.createElement("div");
    pointer.className = "pointed-at";
    pointer.ariaHidden = "true";
    document.body.append(pointer);
    addEventListener("pointermove", ({clientX, clientY}) => {
        pointer.style.translate = `${clientX}px ${clientY}px`;
        delete pointer.dataset.resting;
        clearTimeout(window.pointerRests);
        window.pointerRests = setTimeout(() => { pointer.dataset.resting = ""; }, RESTS_AFTER);
    });
    if (sessionStorage.getItem("presenting")) present(true);
    // A stop begins at its top, however far down the one before it was read.
    const stopNow = () => document.querySelector(".st-key-tour_at")?.textContent;
    let stop = stopNow();
    new MutationObserver(() => {
        const now = stopNow();
        if (now === stop) return;
        stop = now;
        if (now) document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
}
</script>
""".replace("RESTS_AFTER", str(1000 * RESTS_AFTER))
