import random

import pytest

from core.tasks.translation import Translation


@pytest.fixture(scope="session")
def samples():
    rng = random.Random(11)
    task = Translation()
    return [task.sample(rng) for _ in range(8_000)]
