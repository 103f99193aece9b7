"""What a term means, beside the pointer that rests on it; a tap does the same.

The page's own text stays as it is: terms are found in it by the browser, and marked by ranges.
"""

import json

import streamlit as st

from pages.frame.glossary import EVERYDAY, TERMS, model
from pages.frame.language import _

STYLE = """
<style>
::highlight(term) {
  text-decoration: underline dotted 1px color-mix(in srgb, currentColor 55%, transparent);
}
.term-tip {
  position: fixed;
  z-index: 1000001;
  left: 0;
  top: 0;
  max-width: min(22rem, calc(100vw - 1rem));
  padding: 0.5rem 0.7rem;
  border: 1px solid color-mix(in srgb, CanvasText 25%, transparent);
  border-radius: 0.5rem;
  background: Canvas;
  color: CanvasText;
  font-size: 0.875rem;
  line-height: 1.4;
  pointer-events: none;
}
.term-tip[hidden] { display: none; }
</style>
"""

# Streamlit drops a script in which anything looks like the beginning of an element.
_SCRIPT = """
<script>
window.glossary = TERMS;
window.everydayPhrases = EVERYDAY;
if (!window.marksTerms && window.Highlight) {
    window.marksTerms = true;
    const AFTER = 350;  // milliseconds that a pointer rests before anything is said
    const marked = new Highlight();
    CSS.highlights.set("term", marked);
    const tip = document.createElement("div");
    Object.assign(tip, {className: "term-tip", role: "tooltip", hidden: true});
    document.body.append(tip);
    let found = [], told, stood;
    const texts = ":is([data-testid=stMarkdownContainer], [data-testid=stCaptionContainer])";
    // What is shown of a sentence, a word like "key" or "mask" among it, is no text of the app.
    const foreign = "code, .katex, .st-key-glossary, .st-key-SENTENCE, .st-key-SEEN strong";
    const pressed = "button, label, a, [role=radio], [role=checkbox], [role=option]";
    const inside = "\\\\p{L}\\\\p{N}_";
    const letters = `[${inside}]`;
    const escaped = (text) => text.replace(/[.*+?^${}()|[\\]\\\\]/g, "\\\\$&");

    const find = () => {
        marked.clear();
        found = [];
        const forms = window.glossary.flatMap(({forms}, term) => forms.map((form) => [form, term]));
        forms.push(...window.everydayPhrases.map((form) => [form, null]));
        forms.sort(([one], [other]) => other.length - one.length);
        const termOf = new Map(forms.map(([form, term]) => [form.toLowerCase(), term]));
        // Chinese has no spaces between words: a single sign is mostly a part of another word.
        const unspaced = (form) => /\\p{Script=Han}/u.test(form);
        const any = (some) => some.map(([form]) => escaped(form)).join("|") || "(?!)";
        const apart = any(forms.filter(([form]) => !unspaced(form)));
        const within = any(forms.filter(([form]) => unspaced(form) && form.length > 1));
        const pattern = new RegExp(
            `${within}|(?\\x3c![“${inside}])(?:${apart})(?!${letters})`, "giu");
        for (const text of document.querySelectorAll(`.stMain ${texts}`)) {
            const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
            const known = new Set();
            while (walker.nextNode()) {
                const node = walker.currentNode;
                if (node.parentElement.closest(foreign)) continue;
                for (const match of node.data.matchAll(pattern)) {
                    const term = termOf.get(match[0].toLowerCase());
                    if (term === null) continue;
                    const range = new Range();
                    range.setStart(node, match.index);
                    range.setEnd(node, match.index + match[0].length);
                    found.push({range, term});
                    const quiet = known.has(term) || !window.glossary[term].marked;
                    known.add(term);
                    if (!quiet && !node.parentElement.closest(pressed)) marked.add(range);
                }
            }
        }
    };
    const under = ({clientX: x, clientY: y}) => found.find(({range}) =>
        range.startContainer.isConnected && [...range.getClientRects()].some((box) =>
            x >= box.left && x <= box.right && y >= box.top && y <= box.bottom));
    const tell = (hit) => {
        tip.hidden = !hit;
        if (!hit) return;
        told = hit.range;
        const {forms: [name], text} = window.glossary[hit.term];
        const heading = document.createElement("strong");
        heading.textContent = name;
        tip.replaceChildren(heading, ` · ${text}`);
        const box = stood = told.getBoundingClientRect();
        const {width, height} = tip.getBoundingClientRect();
        const left = Math.max(8, Math.min(box.left, innerWidth - width - 8));
        const fits = box.bottom + 6 + height <= innerHeight;
        const top = fits ? box.bottom + 6 : Math.max(8, box.top - 6 - height);
        tip.style.translate = `${left}px ${top}px`;
    };
    let due, resting, at = "";
    new MutationObserver(() => {
        clearTimeout(due);
        due = setTimeout(find, 200);
    }).observe(document.body, {subtree: true, childList: true, characterData: true});
    addEventListener("pointermove", (event) => {
        // What is drawn anew under a pointer that rests says that it moves.
        const place = `${event.clientX} ${event.clientY}`;
        if (place === at) return;
        at = place;
        clearTimeout(resting);
        if (event.pointerType === "touch") return;
        if (!tip.hidden && !under(event)) tell(null);
        if (!event.target.closest?.(".stMain")) return;
        resting = setTimeout(() => tell(under(event)), AFTER);
    });
    // Before what is clicked hears of it: some let nobody else know.
    addEventListener("click", (event) => {
        // Whoever clicks has read what is there, and sees something else next.
        clearTimeout(resting);
        tell(event.target.closest?.(pressed) ? null : under(event));
    }, true);
    // The end of a scroll is told late: only what has moved since loses its explanation.
    addEventListener("scroll", () => {
        const {left, top} = tip.hidden ? {} : told.getBoundingClientRect();
        if (left !== stood?.left || top !== stood?.top) tell(null);
    }, true);
    addEventListener("keydown", () => tell(null));
}
</script>
"""


def lend(sentence: str, seen: str) -> None:
    """Let the page explain its terms; among what it shows to nobody.

    Args:
        sentence: Key of the container that tells of the sentence.
        seen: That of the line that tells what is seen.
    """
    of_the_paper = {term.name for term in model.TERMS}
    terms = [
        {"forms": term.forms(), "text": _(term.text), "marked": term.name not in of_the_paper}
        for term in TERMS
    ]
    script = _SCRIPT.replace("SENTENCE", sentence).replace("SEEN", seen)
    for name, given in (("EVERYDAY", _(EVERYDAY).split("|")), ("TERMS", terms)):
        # Nothing in a text can end the script.
        written = json.dumps(given, ensure_ascii=False).replace("<", "\\u003c")
        script = script.replace(name, written, 1)
    st.html(script, unsafe_allow_javascript=True)
