"""Walks through the app: what a visitor does at random, and the state that it implies.

The model of the app is written down here once more, on purpose: what the app shows after an action
is compared with what the action implies, not with what the app says of itself.
"""

import random
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from core.tasks import TASKS as TASKS_OF_CORE

TYPED = {
    "everyday": ("The cat slept.", "My dog is hungry.", "It's raining."),
    "translate": ("The cat slept.", "The dog ate it.", "The old horse is tired."),
    "copy": ("a b c", "f e d c", "q"),
}
TASKS = {name: tuple(each.source for each in TASKS_OF_CORE[name].examples) for name in TYPED}
"""Task → its examples; the first is the one to begin with."""
KINDS = {
    "encoder.self": "encoder self-attention",
    "decoder.self": "decoder self-attention",
    "decoder.cross": "cross-attention",
}
"""Name of a kind of attention → what people call it."""
PAGES = {"attention": "Attention", "decoding": "Decoding", "heads": "Heads"}
"""Address → name, of the pages that are walked through."""
VIEWS = ("maps", "lines", "word")
HEADS = 4
DEFAULT_MODEL = "everyday"


@dataclass(frozen=True)
class Model:
    """What a run of the gallery opens on."""

    task: str
    kind: str
    best: dict[str, tuple[int, int]]
    """Kind → layer and head that find antecedents better than rules, or else point most."""
    layers: dict[str, int]


def _heads(*found: tuple[int, int]) -> dict[str, tuple[int, int]]:
    return dict(zip(KINDS, found, strict=True))


_SMALL = dict(zip(KINDS, (3, 2, 2), strict=True))
_TINY = dict.fromkeys(KINDS, 2)
MODELS = {
    "everyday": Model("everyday", "encoder.self", _heads((2, 0), (0, 3), (1, 2)), _SMALL),
    "translate-guided": Model("translate", "encoder.self", _heads((2, 0), (0, 0), (1, 1)), _SMALL),
    "copy": Model("copy", "decoder.cross", _heads((1, 2), (1, 2), (0, 1)), _TINY),
}


@dataclass
class State:
    """What was chosen, and on which page the visitor is."""

    page: str = "attention"
    chosen: dict[str, str] = field(default_factory=dict)
    task: str | None = None
    """Whose examples the sentence was chosen among; None where it came by an address."""
    seen: dict[str, set[str]] = field(default_factory=dict)
    """Page → the names of the choices that it has shown."""

    def shown(self) -> dict[str, tuple[str, str]]:
        """Return name → (what is shown, what is shown where nothing is chosen), for the page."""
        defaults = {"model": DEFAULT_MODEL, "sentence": TASKS[self.model.task][0]}
        if self.page == "heads" and self.model.task == "everyday":
            # It opens on a sentence that the silenced head changes.
            defaults["sentence"] = TASKS["everyday"][2]
        if self.page == "attention":
            kind = self.chosen.get("kind", self.model.kind)
            layer, head = self.model.best[kind]
            defaults |= {"kind": self.model.kind, "layer": str(layer), "head": str(head)}
            defaults["view"] = "maps"
        return {name: (self.chosen.get(name, usual), usual) for name, usual in defaults.items()}

    @property
    def model(self) -> Model:
        """The chosen one."""
        return MODELS[self.chosen.get("model", DEFAULT_MODEL)]

    def value(self, name: str) -> str:
        """Return what the page shows of a choice."""
        return self.shown()[name][0]

    def address(self) -> dict[str, str]:
        """Return what the URL must name; what is as it would be without, it leaves out."""
        return {name: value for name, (value, usual) in self.shown().items() if value != usual}

    def draw(self) -> None:
        """Do what follows from drawing the page."""
        examples = set().union(*TASKS.values()) - set(TASKS[self.model.task])
        if self.task not in (None, self.model.task) and self.chosen.get("sentence") in examples:
            del self.chosen["sentence"]
        self.task = self.model.task
        self.seen.setdefault(self.page, set()).update(self.shown())

    def choose(self, **values: object) -> None:
        """Choose what the page offers."""
        self.chosen |= {name: str(value) for name, value in values.items()}

    def forget(self, *names: str) -> None:
        """Take choices back: what they open on is shown."""
        for name in names:
            self.chosen.pop(name, None)

    def choose_kind(self, kind: str) -> None:
        """Choose another kind, which opens on its best head."""
        if kind != self.value("kind"):
            self.choose(kind=kind)
            self.forget("layer", "head")

    def choose_model(self, name: str) -> None:
        """Choose another model, which opens on its best head."""
        if name != self.value("model"):
            self.choose(model=name)
            self.forget("kind", "layer", "head")

    def come_back(self, url: str) -> None:
        """Go to an address of the browser's history."""
        self.page, asked = read_address(url)
        for name in self.seen.get(self.page, set()):
            self.chosen.pop(name, None)
        self.chosen |= asked
        self.task = None

    def begin_again(self, url: str) -> None:
        """Load an address, as a visitor who was never here before."""
        self.page, asked = read_address(url)
        self.chosen, self.seen, self.task = {}, {}, None
        self.chosen |= asked


def read_address(url: str) -> tuple[str, dict[str, str]]:
    """Return the page of an address, and what it names."""
    parts = urlsplit(url)
    return parts.path.strip("/"), dict(parse_qsl(parts.query))


READ = """() => {
    const of = key => `:is(.st-key-${key}, [class*="st-key-${key}--"])`;
    const radio = key => document.querySelector(`${of(key)} [aria-checked=true]`);
    const box = key => document.querySelector(`${of(key)} input:not([disabled])`);
    const found = { url: location.href };
    for (const key of ["kind", "view"]) {
        found[key] = radio(key)?.innerText.trim() ?? null;
    }
    for (const key of ["model", "sentence", "layer", "head"]) found[key] = box(key)?.value ?? null;
    // A model's name is followed by what it does.
    found.model = found.model?.split(":")[0] ?? null;
    found.running = !document.querySelector("[data-test-script-state=notRunning]");
    found.failed = document.querySelectorAll(".stException").length > 0;
    for (const host of document.querySelectorAll(".stBidiComponent *")) {
        found.title ??= host.shadowRoot?.querySelector(".map figcaption")?.textContent;
    }
    found.title ??= null;
    return found;
}"""
"""What the page in the browser shows."""


def differences(state: State, found: dict) -> dict[str, tuple[object, object]]:
    """Return what is not as it must be: name → (what it must be, what it is)."""
    page, named = read_address(found["url"])
    labels = {"kind": KINDS}
    wanted: dict[str, object] = {"page": state.page, "failed": False, "running": False}
    is_now: dict[str, object] = {"page": page, "failed": found["failed"]}
    is_now["running"] = found["running"]
    for name, (value, _) in state.shown().items():
        wanted[name] = labels.get(name, {}).get(value, value)
        # Not every view asks for everything; the address says it all the same.
        may_lack = name in ("kind", "layer", "head") and state.value("view") != "maps"
        is_now[name] = wanted[name] if found[name] is None and may_lack else found[name]
    known = {"model", "sentence", "kind", "layer", "head", "view"}
    wanted["address"] = state.address()
    is_now["address"] = {name: text for name, text in named.items() if name in known}
    if state.page == "attention" and state.value("view") == "maps":
        wanted["title"] = f"layer {state.value('layer')}, head {state.value('head')}"
        is_now["title"] = (
            wanted["title"] if wanted["title"] in (found["title"] or "") else found["title"]
        )
    return {name: (wanted[name], is_now[name]) for name in wanted if wanted[name] != is_now[name]}


@dataclass(frozen=True)
class Action:
    """Something that a visitor does."""

    name: str
    do: Callable[[object], None]
    """In the page."""
    imply: Callable[[State], None]
    """In the state."""
    first: bool = True
    """Whether another action may follow before this one was answered."""
    second: bool = False
    """Whether it may follow so: what is clicked stands there whatever went before."""


def typing(sentence: str) -> Action:
    """Type a sentence, and press Enter."""

    def do(page) -> None:
        box = page.get_by_role("textbox", name="Sentence", exact=True)
        box.fill(sentence)
        box.press("Enter")

    return Action(f"type {sentence!r}", do, lambda state: state.choose(sentence=sentence))


def example(index: int) -> Action:
    """Click one of the offered sentences."""

    def imply(state: State) -> None:
        state.choose(sentence=TASKS[state.model.task][index])

    return Action(
        f"example {index}",
        lambda page: page.locator(f".st-key-example_{index} button").click(),
        imply,
        second=True,
    )


def widget(page, name):
    """Return the widget that asks for a choice now."""
    return page.locator(f".st-key-{name}, [class*='st-key-{name}--']")


def radio(name: str, value: str, label: str, imply=None) -> Action:
    """Choose one of a few things."""

    def do(page) -> None:
        widget(page, name).get_by_role("radio", name=label, exact=True).click()

    imply = imply or (lambda state: state.choose(**{name: value}))
    return Action(f"{name}: {value}", do, imply, second=name == "view")


def box(name: str, value: str, imply=None) -> Action:
    """Choose one of several things in a list that opens."""

    def do(page) -> None:
        widget(page, name).locator("input").click()
        # A model's name is followed by what it does.
        page.get_by_role("option", name=re.compile(f"^{re.escape(value)}(:|$)")).click()

    imply = imply or (lambda state: state.choose(**{name: value}))
    return Action(f"{name}: {value}", do, imply, first=name != "model")


def tile(layer: int, head: int) -> Action:
    """Click a head in the overview of all heads."""
    return Action(
        f"tile {layer}, {head}",
        lambda page: page.locator(".tile").nth(layer * HEADS + head).click(),
        lambda state: state.choose(layer=layer, head=head),
    )


def visit(path: str) -> Action:
    """Go to another page by its link."""

    def imply(state: State) -> None:
        state.page = path

    # Held for a moment, as a finger does: Streamlit leaves the sentence's box first.
    return Action(
        f"visit {PAGES[path]}",
        lambda page: page.get_by_role("link", name=PAGES[path], exact=True).click(delay=30),
        imply,
        first=False,
        second=True,
    )


def back(url: str) -> Action:
    """Go one step back in the browser's history."""
    return Action(
        f"back to {url}",
        lambda page: page.evaluate("history.back()"),
        lambda state: state.come_back(url),
        first=False,
    )


def reload(url: str) -> Action:
    """Load the page anew."""

    def do(page) -> None:
        page.reload(wait_until="commit")

    return Action("reload", do, lambda state: state.begin_again(url), first=False)


def offered(state: State, found: dict, before: str | None) -> list[list[Action]]:
    """Return what can be done, by what it is: each of them is as likely as the others.

    Args:
        state: What the page shows.
        found: What stands there.
        before: The address that the way back leads to.
    """
    task = state.model.task
    ways = [
        [typing(each) for each in TYPED[task] if each != state.value("sentence")],
        [
            example(index)
            for index, each in enumerate(TASKS[task])
            if each != state.value("sentence")
        ],
        [visit(path) for path in PAGES if path != state.page],
        [reload(found["url"])],
        [
            box("model", each, lambda state, each=each: state.choose_model(each))
            for each in MODELS
            if each != state.value("model")
        ],
    ]
    if before is not None:
        ways.append([back(before)])
    if state.page == "attention":
        asked = {name for name in ("kind", "layer", "head") if found[name] is not None}
        ways += _on_attention(state, asked)
        # It is walked through most.
        ways += _on_attention(state, asked)
    return [each for each in ways if each]


def _on_attention(state: State, asked: set[str]) -> Iterator[list[Action]]:
    kind, view = state.value("kind"), state.value("view")
    layer, head = int(state.value("layer")), int(state.value("head"))
    heads = [(i, j) for i in range(state.model.layers[kind]) for j in range(HEADS)]
    if "kind" in asked:
        yield [
            radio("kind", each, KINDS[each], lambda state, each=each: state.choose_kind(each))
            for each in KINDS
            if each != kind
        ]
    if "layer" in asked:
        yield [box("layer", str(each)) for each in range(state.model.layers[kind]) if each != layer]
    if "head" in asked:
        yield [box("head", str(each)) for each in range(HEADS) if each != head]
    if view == "maps":
        yield [tile(*each) for each in heads if each != (layer, head)]
    yield [radio("view", each, each) for each in VIEWS if each != view]


def next_actions(
    chance: random.Random, state: State, found: dict, before: str | None
) -> tuple[Action, ...]:
    """Choose what is done next: one action, or two of which the second does not wait."""
    kinds = offered(state, found, before)
    one = chance.choice(chance.choice(kinds))
    if not one.first or chance.random() < 0.7:
        return (one,)
    then = deepcopy(state)
    one.imply(then)
    then.draw()
    late = [
        [each for each in of if each.second and each.name.split(":")[0] != one.name.split(":")[0]]
        for of in kinds
    ]
    late = [of for of in late if of and not of[0].name.startswith(one.name.split()[0])]
    if one.name.startswith(("type", "example")):
        late = [of for of in late if not of[0].name.startswith("example")]
    return (one, chance.choice(chance.choice(late))) if late else (one,)
