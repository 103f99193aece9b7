"""A visitor without a browser: it speaks to the app as one does, over the same websocket.

It keeps what a browser keeps: the widgets on the page and what they hold, the address, messages
that need not be sent again, and what asks to be drawn anew by itself.
"""

import asyncio
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from google.protobuf.message import Message
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from websockets.asyncio.client import ClientConnection, connect

_KEY = re.compile(r"\$\$ID-[0-9a-f]+-(?P<name>.+?)(--\d+)?$")
_TRIGGER = "$$STREAMLIT_INTERNAL_KEY_{}__events"
_GOES_ON, _FAILED = ForwardMsg.FINISHED_EARLY_FOR_RERUN, ForwardMsg.FINISHED_WITH_COMPILE_ERROR
_RUNS_KEPT = 2
"""So many runs of the page a browser keeps a large message that is not shown any more."""
SECONDS = 60.0
"""After which an answer is missing."""


class VisitError(Exception):
    """The app did not answer as it should."""


@dataclass(slots=True)
class Answer:
    """What came for one request."""

    seconds: float = 0.0
    n_bytes: int = 0
    codes: list[str] = field(default_factory=list)
    """Texts that are shown as code: a link to what is shown, Python that computes it again."""
    texts: list[str] = field(default_factory=list)
    payloads: dict[str, bytes] = field(default_factory=dict)
    """Name of one of our components → what it shows."""


@dataclass(slots=True)
class _Widget:
    id: str
    kind: str
    element: Any
    fragment: str
    run: int
    state: WidgetState | None


class Visitor:
    """One tab of a browser; to be used in a `with`."""

    def __init__(self, address: str, page: str = "", query: str = "", cookie: str = "") -> None:
        """Go nowhere yet.

        Args:
            address: Of the server.
            page: That is opened first; empty for the one at /.
            query: Of its address.
            cookie: That the browser sends along, as `name=value`; empty for none.
        """
        self.address, self.query = address, query
        self._first, self._cookie = page, cookie
        self._socket: ClientConnection | None = None
        self._widgets: dict[str, _Widget] = {}
        self._pages: dict[str, str] = {}
        self._page = ""
        self._run = 0
        self._kept: dict[str, tuple[int, ForwardMsg]] = {}
        self.redrawn: dict[str, float] = {}
        """Parts of the page that ask to be drawn again by themselves → after so many seconds."""

    async def __aenter__(self) -> Self:
        """Connect."""
        headers = {"Cookie": self._cookie} if self._cookie else {}
        self._socket = await connect(
            f"{self.address.replace('http', 'ws', 1)}/_stcore/stream",
            subprotocols=["streamlit"],  # type: ignore[list-item]
            additional_headers=headers,
            origin=self.address,  # type: ignore[arg-type]
            max_size=None,
            open_timeout=SECONDS,
        )
        return self

    async def __aexit__(
        self, _type: type | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Close the tab."""
        if self._socket is not None:
            await self._socket.close()

    async def open(self) -> Answer:
        """Open the first page."""
        return await self._ask(page_name=self._first)

    async def go_to(self, page: str) -> Answer:
        """Click the link to a page; empty for the one at /."""
        self.query = ""
        return await self._ask(page_hash=self._pages[page])

    async def type(self, name: str, text: str) -> Answer:
        """Type a text into a box, and press Enter."""
        if self._widget(name).kind not in ("text_input", "text_area"):
            raise VisitError(f"{name} is no box to type into")
        return await self._change(name, string_value=text)

    async def choose(self, name: str, option: str) -> Answer:
        """Choose one of what a widget offers."""
        if option not in self.offered(name):
            raise VisitError(f"{name} does not offer {option}")
        if self._widget(name).kind == "selectbox":
            return await self._change(name, string_value=option)
        return await self._change(name, string_array=[option])

    async def press(self, name: str) -> Answer:
        """Press a button."""
        found = self._widget(name)
        return await self._ask(found.fragment, WidgetState(id=found.id, trigger_value=True))

    async def report(self, name: str, event: str, value: Mapping[str, object]) -> Answer:
        """Do something in one of our components, of which it reports an event."""
        found = self._widget(name)
        told = json.dumps([{"event": event, "value": value}])
        state = WidgetState(id=_TRIGGER.format(found.id), json_trigger_value=told)
        return await self._ask(found.fragment, state)

    async def draw_again(self, fragment: str) -> Answer:
        """Ask for a part of the page that wants to be drawn again by itself."""
        return await self._ask(fragment, by_itself=True)

    def has(self, name: str) -> bool:
        """Say whether a widget of this key is on the page and can be used."""
        found = self._widgets.get(name)
        return found is not None and not getattr(found.element, "disabled", False)

    def offered(self, name: str) -> list[str]:
        """Return among what one chooses with a widget."""
        found = self._widget(name)
        options = found.element.options
        return list(options) if found.kind == "selectbox" else [each.content for each in options]

    def _widget(self, name: str) -> _Widget:
        if name not in self._widgets:
            raise VisitError(f"there is no {name} on {self._page or 'the page'}?{self.query}")
        return self._widgets[name]

    async def _change(
        self, name: str, string_value: str | None = None, string_array: list[str] | None = None
    ) -> Answer:
        found = self._widget(name)
        found.state = WidgetState(id=found.id)
        if string_value is not None:
            found.state.string_value = string_value
        if string_array is not None:
            found.state.string_array_value.data.extend(string_array)
        return await self._ask(found.fragment)

    async def _ask(
        self,
        fragment: str = "",
        trigger: WidgetState | None = None,
        *,
        page_hash: str | None = None,
        page_name: str = "",
        by_itself: bool = False,
    ) -> Answer:
        """Send a request and wait until all of it is drawn."""
        message = BackMsg()
        wanted = message.rerun_script
        # With a switch of pages a browser tells nothing of the widgets that it leaves.
        known = self._widgets.values() if page_hash is None else ()
        states = [each.state for each in known if each.state is not None]
        wanted.widget_states.CopyFrom(
            WidgetStates(widgets=[*states, *([trigger] if trigger is not None else [])])
        )
        wanted.query_string, wanted.fragment_id = self.query, fragment
        wanted.page_script_hash = self._page if page_hash is None else page_hash
        wanted.page_name, wanted.is_auto_rerun = page_name, by_itself
        wanted.cached_message_hashes.extend(self._kept)
        wanted.context_info.url = f"{self.address}/{page_name}"
        wanted.context_info.locale = "en"
        answer, began = Answer(), time.perf_counter()
        assert self._socket is not None
        await self._socket.send(message.SerializeToString())
        self._run += 1
        try:
            async with asyncio.timeout(SECONDS):
                await self._read(answer)
        except TimeoutError as error:
            raise VisitError(f"no answer within {SECONDS:.0f} s") from error
        answer.seconds = time.perf_counter() - began
        self._forget(fragment)
        return answer

    async def _read(self, answer: Answer) -> None:
        assert self._socket is not None
        while True:
            content = await self._socket.recv(decode=False)
            answer.n_bytes += len(content)
            message = ForwardMsg.FromString(content)
            kind = message.WhichOneof("type")
            if kind == "script_finished":
                if message.script_finished == _FAILED:
                    raise VisitError("the page could not be run")
                if message.script_finished != _GOES_ON:
                    return
            elif kind == "ref_hash":
                if message.ref_hash not in self._kept:
                    raise VisitError("a message was referred to that is not kept")
                kept = self._kept[message.ref_hash][1]
                self._kept[message.ref_hash] = self._run, kept
                self._take(kept, answer)
            else:
                self._take(message, answer)

    def _take(self, message: ForwardMsg, answer: Answer) -> None:
        """Take over what one message says."""
        if message.metadata.cacheable:
            self._kept[message.hash] = self._run, message
        match message.WhichOneof("type"):
            case "new_session":
                self._page = message.new_session.page_script_hash
                if not message.metadata.run.fragment_ids:
                    self.redrawn.clear()
            case "navigation":
                pages = message.navigation.app_pages
                self._pages = {each.url_pathname: each.page_script_hash for each in pages}
                self._page = message.navigation.page_script_hash
            case "page_info_changed":
                self.query = message.page_info_changed.query_string
            case "auto_rerun":
                self.redrawn[message.auto_rerun.fragment_id] = message.auto_rerun.interval
            case "delta" if message.delta.HasField("new_element"):
                self._draw(message.delta.new_element, message.delta.fragment_id, answer)

    def _draw(self, new: Element, fragment: str, answer: Answer) -> None:
        kind = new.WhichOneof("type")
        element = getattr(new, kind)
        if kind == "exception":
            raise VisitError(f"the page shows {element.type}: {element.message}")
        if kind == "code":
            answer.codes.append(element.code_text)
        elif kind in ("markdown", "text", "alert"):
            answer.texts.append(element.body)
        elif kind == "bidi_component" and element.bytes:
            answer.payloads[element.component_name] = element.bytes
        if found := _KEY.match(getattr(element, "id", "")):
            name, known = found["name"], self._widgets.get(found["name"])
            same = known is not None and known.id == element.id
            state = known.state if known is not None and same else None
            if state is None or getattr(element, "set_value", False):
                state = _begins_with(kind, element)
            self._widgets[name] = _Widget(element.id, kind, element, fragment, self._run, state)

    def _forget(self, fragment: str) -> None:
        """Forget what is no longer on the page, or was not shown for long."""
        self._widgets = {
            name: each
            for name, each in self._widgets.items()
            if each.run == self._run or (fragment and each.fragment != fragment)
        }
        self._kept = {
            name: each for name, each in self._kept.items() if self._run - each[0] < _RUNS_KEPT
        }


def _begins_with(kind: str, element: Message) -> WidgetState | None:
    """Return what a browser says of a widget that nobody has touched, or that the app has set."""
    state, is_set = WidgetState(id=element.id), getattr(element, "set_value", False)
    if kind in ("text_input", "text_area"):
        state.string_value = element.value if is_set else element.default
    elif kind == "selectbox" and (is_set or element.HasField("default")):
        state.string_value = element.raw_value if is_set else element.options[element.default]
    elif kind == "button_group":
        usual = [element.options[index].content for index in element.default]
        state.string_array_value.data.extend(element.raw_values if is_set else usual)
    elif kind == "number_input" and (is_set or element.HasField("default")):
        state.double_value = element.value if is_set else element.default
    else:
        return None
    return state
