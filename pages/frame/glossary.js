// Explains the terms of `window.glossary` where they stand in the text of a page, which stays as it
// is: they are found in it, and marked by ranges. `window.everydayPhrases` hold a word and mean none.
// Streamlit drops a script in which anything looks like the beginning of an element.
if (!window.marksTerms && window.Highlight) {
    window.marksTerms = true;
    const AFTER = 350;  // milliseconds that a pointer rests before a term is explained
    const marked = new Highlight();
    CSS.highlights.set("term", marked);
    const tip = document.createElement("div");
    Object.assign(tip, {className: "term-tip", role: "tooltip", hidden: true});
    document.body.append(tip);
    let found = [], told, stood;
    const texts = ":is([data-testid=stMarkdownContainer], [data-testid=stCaptionContainer])";
    // What is shown of a sentence, a word like "key" or "mask" among it, is no text of the app.
    const foreign = "code, .katex, .st-key-glossary, .st-key-sentence_said, .st-key-seen strong";
    const pressed = "button, label, a, [role=radio], [role=checkbox], [role=option]";
    const inside = "\\p{L}\\p{N}_";
    const letters = `[${inside}]`;
    const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

    const find = () => {
        marked.clear();
        found = [];
        const forms = window.glossary.flatMap(({forms}, term) => forms.map((form) => [form, term]));
        forms.push(...window.everydayPhrases.map((form) => [form, null]));
        forms.sort(([one], [other]) => other.length - one.length);
        const termOf = new Map(forms.map(([form, term]) => [form.toLowerCase(), term]));
        // Chinese has no spaces between words: a single sign is mostly a part of another word.
        const unspaced = (form) => /\p{Script=Han}/u.test(form);
        const any = (some) => some.map(([form]) => escaped(form)).join("|") || "(?!)";
        const apart = any(forms.filter(([form]) => !unspaced(form)));
        const within = any(forms.filter(([form]) => unspaced(form) && form.length > 1));
        const pattern = new RegExp(
            `${within}|(?\x3c![“${inside}])(?:${apart})(?!${letters})`, "giu");
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
        // After a click something else is shown.
        clearTimeout(resting);
        tell(event.target.closest?.(pressed) ? null : under(event));
    }, true);
    // The end of a scroll is reported late: only what has moved since loses its explanation.
    addEventListener("scroll", () => {
        const {left, top} = tip.hidden ? {} : told.getBoundingClientRect();
        if (left !== stood?.left || top !== stood?.top) tell(null);
    }, true);
    addEventListener("keydown", () => tell(null));
}
