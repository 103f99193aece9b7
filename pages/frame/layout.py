"""Room for the picture: less empty space than Streamlit leaves, and paper without navigation."""

import streamlit as st

from pages.frame import components, glossary, links, marked_words, presentation

LESSON_TEXT = "lesson_text"
"""Key of the element that says what a view shows: as high for one line as for two."""
CLAIM = "claim"
"""Key of the element that says what an experiment tests: a verdict says nothing without it."""
TRAINING_STATE = "training_state"
"""Key of the row that says how a training stands: as high without buttons as with them."""

START = "start"
"""Key of all that the start shows: one screen."""

SEEN = "seen"
"""Key of the line above a picture that says what it shows."""
TOUR = "tour"
"""Key of the box in which a tour says what to look at."""
TOUR_AT = "tour_at"
"""… and in it which stop it is,"""
TOUR_TEXT, TOUR_TASK, TOUR_ONWARD = "tour_text", "tour_task", "tour_onward"
"""… what explains, what is to be done, and the buttons."""
CONTROLS, SIZE = "controls", "size_said"
"""Keys of the row that asks for a head, and of what it says of the sentence's size."""
OPENING = "opening"
"""Key of the row that asks for model and sentence."""
SENTENCE_SAID = "sentence_said"
"""Key of the sentence where it is only said, in presentation mode."""
FOLLOWED, FORECAST = "followed", "forecast"
"""Keys of a table below a picture, and of the charts of a training that has not begun: neither is
seen in presentation mode."""
DONE_SAID = "done_said"
"""Key of what a silenced head does, below the sentence that it changes; nor is this."""
SIZES_SAID = "sizes_said"
"""Key of the settings of a training, where they are said in small letters."""
TAKEN = "taken"
"""Key of what stands below a view: files, link and explanations."""

NUMBER_WIDTH = 92
"""Pixels of a box for a small number; what is asked stands beside such a box."""

# Only distances; colours and fonts come from the theme. Exceptions: Streamlit writes white on the
# accent, which is light on the dark theme, where the browser's own paper is dark; pale captions.
_STYLE = """
<style>
.stMainBlockContainer { padding: 2.2rem 2.5rem 3rem; }
.stMainBlockContainer > .stVerticalBlock, .stMainBlockContainer .stVerticalBlock { gap: 0.5rem; }
header.stAppHeader { height: 2.2rem; min-height: 2.2rem; }
button[data-testid="stBaseButton-primary"] { color: Canvas; }
.st-key-sentence, [class*="st-key-sentence--"] { min-width: min(22rem, 100%); }
/* What is asked stands beside its box: the picture below has its line. */
.st-key-opening :is(.stSelectbox, .stTextInput) { display: flex; align-items: center; gap: 0.5rem; }
.st-key-opening [data-testid="stWidgetLabel"] { min-height: 0; margin: 0; white-space: nowrap; }
.st-key-opening .stTextInput { margin-inline-start: 0.75rem; }
/* Not the last child: while one types, it is followed by what Enter does. */
.st-key-opening .stTextInput > :has([data-testid="stTextInputRootElement"]) { flex: 1; }
.st-key-start [class*="st-key-sentence"] { min-width: 0; }
.stMainBlockContainer .st-key-start.stVerticalBlock { gap: 0.25rem; }
.stMainBlockContainer:has(.st-key-start) { padding-bottom: 0; }
/* Off the screen it is laid out only for whoever scrolls there: clicks are answered sooner. */
.st-key-taken, .st-key-explained { content-visibility: auto; contain-intrinsic-size: auto 12rem; }
/* It cuts what sticks out: what has the focus is outlined. */
.st-key-taken, .st-key-explained { padding-inline: 4px; margin-inline: -4px; }
.st-key-seen { min-height: 1.6rem; }
/* A tour says what it says in little room: the picture is what it is about. */
.stMainBlockContainer .st-key-tour { padding: 0.4rem 0.8rem; }
.stMainBlockContainer .st-key-tour .stVerticalBlock { gap: 0.25rem; }
.st-key-tour p { line-height: 1.4; }
.st-key-tour button { min-height: 1.9rem; padding: 0.1rem 0.6rem; }
.stMainBlockContainer:has(.st-key-tour) .st-key-opening [data-testid="stWidgetLabel"] {
  display: none;
}
.st-key-lesson_text, .st-key-claim { min-height: 3rem; justify-content: center; }
/* A stop has its box above all this, and its picture is to be seen whole. */
.stMainBlockContainer:has(.st-key-tour) { --aside: none; --remark: none; }
:root:not([data-presenting]) .stMainBlockContainer:has(.st-key-tour) { --beside-title: -24px; }
.stMainBlockContainer:has(.st-key-tour) > .stVerticalBlock { gap: 0.3rem; }
.stMainBlockContainer:has(.st-key-tour) :is(.st-key-lesson_text, .st-key-claim) { min-height: 0; }
.st-key-training_state { min-height: 2.6rem; }
/* All pages in one row of a window 1280 pixels wide. */
[data-testid="stTopNavLink"] { padding-inline: 5px; gap: 5px; }
/* Whoever goes by keyboard must see where they are. */
[data-testid="stTopNavLink"]:focus-visible {
  outline: 2px solid currentColor;
  outline-offset: -2px;
}
/* Streamlit's 60 % of the text's colour is too pale to read with weak eyes (WCAG: 4.5 to 1). */
[data-testid="stCaptionContainer"], [class*="st-key-view_"] summary { opacity: 0.75; }
.st-key-scripts { display: none; }
/* A question mark stands apart from what it explains. */
[data-testid="stWidgetLabel"] { column-gap: 0.35rem; }
/* What is typed runs as its first letter does. */
.stMain :is(input, textarea) { unicode-bidi: plaintext; }
.stElementContainer[width="NUMBER_WIDTHpx"] { width: auto; min-width: max-content; }
.stElementContainer[width="NUMBER_WIDTHpx"] .stSelectbox {
  display: flex;
  align-items: center;
  gap: 0.5rem;
}
.stElementContainer[width="NUMBER_WIDTHpx"] label { min-height: 0; margin: 0; white-space: nowrap; }
.stElementContainer[width="NUMBER_WIDTHpx"] .react-aria-ComboBox { width: NUMBER_WIDTHpx; }
/* On a phone the picture comes first: what is asked for is named by what it holds. */
@media (max-width: 640px) {
  .st-key-opening [data-testid="stWidgetLabel"], .st-key-lesson_text { display: none; }
  .st-key-opening .stTextInput { margin-inline-start: 0; }
  .stButtonGroup > div { flex-wrap: wrap; }
  /* One line, that the picture stays near: where it goes on it fades away. */
  .st-key-controls {
    flex-wrap: nowrap;
    overflow-x: auto;
    scrollbar-width: thin;
    padding-right: 2rem;
    mask-image: linear-gradient(to left, transparent, black 2rem);
  }
  .st-key-controls .stButtonGroup > div { flex-wrap: nowrap; }
  .st-key-controls > * { flex: none; }
  /* A sentence has a line of its own, and is seen to its end. */
  .stHorizontalBlock > .stElementContainer:has(> .stTextInput) { flex-basis: 100%; }
  .stTextInput input { padding-inline: 0.5rem; font-size: 0.75rem; }
  /* Without a pointer a table's tools are always there: below it they cover nothing. */
  .stElementContainer:has(> * > .stDataFrame) { margin-bottom: 2.75rem; }
  .stDataFrame [data-testid="stElementToolbar"] { top: calc(100% + 2px); }
}
@media (max-width: 1100px) { .st-key-size_said { display: none; } }
@media (max-width: 1000px) { .stMainBlockContainer { padding: 2.2rem 1.2rem 3rem; } }
@media print {
  .stSidebar, header.stAppHeader, .stExpander, .stButton { display: none !important; }
  .stMainBlockContainer { padding: 0; }
}
</style>
""".replace("NUMBER_WIDTH", str(NUMBER_WIDTH))

# A link to a page leaves an entry without parameters in the browser's history, and the address of
# what is shown there comes after it. Until the page has been drawn it replaces that entry instead:
# the way back from a page leads to the page before. Where the app itself goes to a page, it says
# when that begins and ends (`links.go`): Streamlit shows an end between its two runs, too.
_WAY_BACK = """
<script>
if (!history.entersPages) {
    history.entersPages = true;
    const push = history.pushState.bind(history);
    const replace = history.replaceState.bind(history);
    const drawn = () => document.querySelector("[data-test-script-state=notRunning]");
    let entering = !drawn();
    // Where the app goes, until it has come there and all of it is drawn.
    let going = null;
    let arrived = false;
    const isThere = (path) => going !== null && path.endsWith(`/${going}`);
    // The names that are meant for this script are taken out of the address.
    const read = (asked) => {
        const url = new URL(asked ?? location.href, location.href);
        const [said, name, value] = /[?&](GOES_TO|ARRIVED)=([^&]*)/.exec(url.search) ?? [];
        if (said) url.search = url.search.replace(said, "");
        if (name === "ARRIVED") arrived = true;
        return { url, goesTo: name === "GOES_TO" ? value : null };
    };
    history.pushState = (state, title, asked) => {
        const { url, goesTo } = read(asked);
        const same = url.pathname === location.pathname;
        // With the path, what was said before comes again.
        const begins = same && goesTo !== null;
        const belongs = same ? going !== null || entering : isThere(url.pathname);
        if (belongs && !begins) replace(state, title, url);
        else push(state, title, url);
        if (begins) [going, arrived] = [goesTo, false];
        // The visitor has gone elsewhere meanwhile, or the path came last.
        else if ((!same && !belongs) || (arrived && isThere(location.pathname))) going = null;
        if (same) return;
        entering = true;
        // A page that is drawn at once never shows that it runs.
        setTimeout(() => { if (drawn()) entering = false; }, 1000);
    };
    history.replaceState = (state, title, asked) => {
        replace(state, title, read(asked).url);
        if (arrived) going = null;
    };
    new MutationObserver(() => {
        if (drawn()) entering = false;
    }).observe(document.body, {
        subtree: true,
        attributeFilter: ["data-test-script-state"],
    });
}
</script>
""".replace("GOES_TO", links.GOES_TO).replace("ARRIVED", links.ARRIVED)


# On a phone the pages are in a drawer over the page: it closes when one of them is chosen.
_DRAWER = """
<script>
if (!document.closesDrawer) {
    document.closesDrawer = true;
    document.addEventListener("click", ({ target }) => {
        if (!target.closest("[data-testid=stSidebarNavLink]")) return;
        const close = document.querySelector("[data-testid=stSidebarCollapseButton] button");
        // After Streamlit has taken the click.
        setTimeout(() => close?.click());
    });
}
</script>
"""


def compact() -> None:
    """Apply to the page that is being drawn."""
    st.html(_STYLE)
    st.html(presentation.STYLE)
    st.html(glossary.STYLE)
    st.html(marked_words.STYLE)
    with st.container(key="scripts"):
        st.html(_WAY_BACK, unsafe_allow_javascript=True)
        st.html(_DRAWER, unsafe_allow_javascript=True)
        st.html(presentation.SCRIPT, unsafe_allow_javascript=True)
        glossary.lend()
        components.lend_scripts()
