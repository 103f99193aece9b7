"""Where a computation runs, on how many cores, and how exactly."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch

from core.config.training import Precision


def best_device() -> torch.device:
    """Return CUDA where there is some, else Apple's Metal, else the CPU."""
    if torch.cuda.is_available():
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def use_one_thread() -> None:
    """Compute on one core: for a process that serves many visitors with short sentences.

    A product that is so small gains nothing from a second core, and several threads that wait for
    each other lose a lot where visitors, browsers or trainings share the machine.
    """
    torch.set_num_threads(1)


@contextmanager
def rounded_products(precision: Precision, device: torch.device) -> Iterator[None]:
    """Round what matrix products multiply to bfloat16 on a CPU, forward and backward, if asked for.

    They add up in float32. A processor without instructions for it computes in float32 all the
    same.
    """
    if precision != "bfloat16" or device.type != "cpu":
        yield
        return
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def autocast(precision: Precision, device: torch.device) -> AbstractContextManager[None]:
    """Compute a forward pass in bfloat16 on a GPU, if asked for, or by itself on CUDA.

    Its backward pass, which belongs outside, follows.
    """
    wanted = precision == "bfloat16" or (precision == "auto" and device.type == "cuda")
    if device.type == "cpu" or not wanted:
        return nullcontext()
    return torch.autocast(device.type, torch.bfloat16)
