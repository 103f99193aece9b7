// A link to a page leaves an entry without parameters in the browser's history, and the address of
// what is shown there comes after it. Until the page has been drawn it replaces that entry instead:
// the way back from a page leads to the page before. Where the app itself goes to a page, it says
// when that begins and ends (`links.go`): Streamlit shows an end between its two runs, too.
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
        const marks = {};
        url.search = url.search.replace(/[?&](_goes_to|_arrived|_shows)=([^&]*)/g, (_, name, value) => {
            marks[name] = value;
            return "";
        });
        if (marks._arrived) arrived = true;
        // A query may come before the path of the page that it belongs to: the path brings it, too.
        const waits = "_shows" in marks && !url.pathname.endsWith(`/${marks._shows}`);
        return { url, waits, goesTo: marks._goes_to ?? null };
    };
    history.pushState = (state, title, asked) => {
        const { url, waits, goesTo } = read(asked);
        if (waits) return;
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
        const { url, waits } = read(asked);
        if (waits) return;
        replace(state, title, url);
        if (arrived) going = null;
    };
    new MutationObserver(() => {
        if (drawn()) entering = false;
    }).observe(document.body, {
        subtree: true,
        attributeFilter: ["data-test-script-state"],
    });
}

// On a phone the pages are in a drawer over the page: it closes when one of them is chosen.
if (!document.closesDrawer) {
    document.closesDrawer = true;
    document.addEventListener("click", ({ target }) => {
        if (!target.closest("[data-testid=stSidebarNavLink]")) return;
        const close = document.querySelector("[data-testid=stSidebarCollapseButton] button");
        // After Streamlit has taken the click.
        setTimeout(() => close?.click());
    });
}
