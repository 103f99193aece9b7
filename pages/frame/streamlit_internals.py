"""What the pages need of Streamlit and Streamlit offers in no public way.

- A browser says nothing of the widgets that it leaves when it goes to another page. Where the
  request before still waits for its turn, Streamlit joins both and keeps of the older one only what
  was clicked: a choice made just before would be lost (`keep_choices`).
- Back and Forward ask for an address like a link does, but must show a page as it was: what the
  address leaves out has its default (`is_way_back`).
- The browser's history gets an entry for each change of the address. `layout` makes one step of
  those that belong together, in the browser: from here no entry can be replaced.
- A click in a fragment does not end a long computation of another part (`has_waiting_click`).
- Texts are asked for often: the language of a run is looked up once for each (`current_run`).
- Whether it is the first page that is asked for is known before any page is listed (`page_name`).

`bind="query-params"` could take the place of `session.widget`, but a bound widget believes any
report of the browser. A browser that has not drawn the answer to a click yet reports what the
widget held before, beside the next choice: the click would be undone. The tests of this module fail
as soon as a bound widget keeps the click.
"""

from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils import script_requests
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext

_joined = script_requests._coalesce_widget_states


def is_way_back() -> bool:
    """Return whether the browser goes Back or Forward, to an address that it has been at."""
    run = current_run()
    return run is not None and run.is_history_navigation


def current_run() -> ScriptRunContext | None:
    """Return the run that the thread is in; None outside of any."""
    return get_script_run_ctx(suppress_warning=True)


def page_name(context: ScriptRunContext) -> str:
    """Return the page that the address names; empty for the first."""
    return context.pages_manager.intended_page_name or ""


def has_waiting_click(context: ScriptRunContext) -> bool:
    """Return whether the visitor has asked for a part of the page.

    Streamlit goes on until what it draws is whole. The whole page takes its place then, for what
    is being drawn would be left in the middle.
    """
    requests = context.script_requests
    if requests is None or requests._state != script_requests.ScriptRequestType.RERUN:
        return False
    return not requests._rerun_data.is_auto_rerun


def keep_choices() -> None:
    """Have requests that wait together tell all that either of them tells; once is enough."""
    script_requests._coalesce_widget_states = joined


def joined(old_states: WidgetStates | None, new_states: WidgetStates | None) -> WidgetStates | None:
    """Return what two requests tell of widgets: of one that both name, what the newer one says."""
    found = _joined(old_states, new_states)
    if found is None or old_states is None:
        return found
    known = {each.id for each in found.widgets}
    left = [each for each in old_states.widgets if each.id not in known]
    # What was clicked has been taken over where it still holds.
    found.widgets.extend(each for each in left if not _is_click(each))
    return found


def _is_click(state: WidgetState) -> bool:
    return str(state.WhichOneof("value")) in script_requests._TRIGGER_PROTO_FIELDS
