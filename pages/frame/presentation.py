"""Keys for whoever shows the app to others: arrows through a tour, P for a view that fills a room.

All of it happens in the browser: what is shown, and how, does not depend on who looks from afar.
"""

MAGNIFIED = 1.7
"""So many times: labels of 12 pixels have more than 20 then."""

# By what they are, not by their buttons: a chart has some, too.
_CONTROLS = (
    ".stSelectbox, .stTextInput, .stTextArea, .stButtonGroup, .stRadio, .stCheckbox, .stSlider, "
    ".stNumberInput, .stExpander, .stFileUploader, .stMultiSelect, .stPageLink, .stButton, "
    ".stDownloadButton, .stMenuButton"
)
# Controls are hidden, not taken away: a tour's keys press its buttons.
STYLE = """
<style>
:root[data-presenting] { --magnified: MAGNIFIED; }
[data-presenting] .stMainBlockContainer {
  zoom: MAGNIFIED;
  max-width: none;
  padding: 0.4rem 1rem;
}
[data-presenting] header.stAppHeader { display: none; }
[data-presenting] :is(.st-key-taken, .st-key-lesson_text, .st-key-opening, .st-key-size,
  .st-key-tour_text, .st-key-tour_task, .st-key-tour_onward) { display: none; }
[data-presenting] .stElementContainer:has(> :is(CONTROLS)),
/* What stands before a control, in the same row, only names it. */
[data-presenting] .stHorizontalBlock
  > .stElementContainer:has([data-testid="stCaptionContainer"]):has(
  + .stElementContainer > :is(CONTROLS)),
[data-presenting] :has(> .stPopover) {
  display: none;
}
/* A chart is drawn as wide as its place is seen, and then magnified with all else. */
[data-presenting] .stElementContainer:has(.stVegaLiteChart) { width: calc(100% / MAGNIFIED); }
/* One that has a width of its own is never wider than that. */
[data-presenting] .stVegaLiteChart svg.marks {
  max-width: calc(100vw / MAGNIFIED - 2rem);
  height: auto;
}
[data-presenting] .st-key-tour { border: 0; padding: 0; }
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
}
</style>
""".replace("MAGNIFIED", str(MAGNIFIED)).replace("CONTROLS", _CONTROLS)

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
    });
    if (sessionStorage.getItem("presenting")) present(true);
}
</script>
"""
