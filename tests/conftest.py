"""What holds for every test.

- Machines may be busy, so no example fails for being slow.
- One core for each process, in the processes that tests start too: what the tests compute is small,
  and several tests may run at the same time.
"""

import os

from hypothesis import settings

# Before torch is imported, which reads it once.
os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
