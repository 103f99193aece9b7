// Keys mean something wherever they mean nothing else: not where somebody types or chooses.
if (!window.knowsKeys) {
    window.knowsKeys = true;
    const RESTS_AFTER = 2000;  // milliseconds without a movement of the pointer
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
