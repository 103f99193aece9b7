"""What a visitor chose just before going to another page, while the server was busy.

A browser tells with a switch of pages nothing of the widgets that it leaves. Where the request
before still waits for its turn, Streamlit makes one of both and keeps of the older one only what
was clicked: a choice made in the moment before would be lost.
"""

from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.scriptrunner_utils import script_requests

_joined = script_requests._coalesce_widget_states


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
