"""A job as small as one can be, for tests: it counts to a number, and leaves what it found out."""

import json
import os
import sys
import time

from core.jobs.job import Files, Job
from core.jobs.process import AUTOGROUP, main, working

COUNTING = Job("tests.core.counting", "counting here", Files.named("count"))


def count(folder, n, seconds="0"):
    with working(COUNTING, folder) as work:
        found = []
        for number in work.counted(range(int(n)), int(n)):
            found.append(number)
            time.sleep(float(seconds))
            yield number
        told = {"found": found, "nice": os.nice(0), "session": os.getsid(0), "pid": os.getpid()}
        if hasattr(os, "sched_getscheduler"):
            told["runs_only_when_idle"] = os.sched_getscheduler(0) == os.SCHED_IDLE
        # A process that is in no such group of its own reads nothing there.
        if AUTOGROUP.exists() and (group := AUTOGROUP.read_text()):
            told["session_nice"] = int(group.rpartition(" ")[2])
        (folder / "counted.json").write_text(json.dumps(told))


def fail(folder, error):
    with working(COUNTING, folder) as work:
        work.write_progress(1, 3)
        yield 0
        if error == "memory":
            bytearray(3 * 10**9)
        raise {"told": COUNTING.error, "strange": KeyError}[error]("no more numbers")


if __name__ == "__main__":
    sys.exit(main(COUNTING, fail if sys.argv[2].isalpha() else count))
