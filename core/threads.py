"""How many processor cores one computation may take."""

import torch


def use_one_thread() -> None:
    """Compute on one core: for a process that serves many visitors with short sentences.

    A product that is so small gains nothing from a second core, and several threads that wait for
    each other lose a lot where visitors, browsers or trainings share the machine.
    """
    torch.set_num_threads(1)
