"""Runs the Python of views as a reader does: each line of the input is one program, in JSON."""

import io
import json
import sys
import traceback
from contextlib import redirect_stdout


def run(code):
    """Return `numbers`, and what the last line shows."""
    names, printed = {}, io.StringIO()
    with redirect_stdout(printed):
        exec(compile(code, "python", "exec"), names)
    last = code.splitlines()[-1]
    shown = printed.getvalue() or eval(last, names)._repr_html_()
    return {"numbers": names["numbers"], "shown": shown}


if __name__ == "__main__":
    for line in sys.stdin:
        try:
            answer = run(json.loads(line))
        except Exception:
            answer = {"error": traceback.format_exc()}
        print(json.dumps(answer, default=lambda array: array.tolist()), flush=True)
