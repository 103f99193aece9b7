"""Where a computation runs, on how many cores, and how exactly."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch

from .config.training import Precision


def best_device() -> torch.device:
    """Return CUDA if available, else Apple's Metal, else the CPU."""
    if torch.cuda.is_available():
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def use_one_thread() -> None:
    """Compute on one core: for a process that serves many visitors with short sentences.

    Such small products gain nothing from a second core, and threads that wait for each other lose
    a lot if visitors, browsers or trainings share the machine.
    """
    torch.set_num_threads(1)


@contextmanager
def rounded_products(precision: Precision, device: torch.device) -> Iterator[None]:
    """Round the factors of matrix products to bfloat16 on a CPU, also backward, if requested.

    Sums are float32. A processor without bfloat16 instructions computes in float32 anyway.
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
    """Context of a forward pass in bfloat16 on a GPU: if requested, or by default on CUDA.

    The backward pass belongs outside the context, and uses the same types.
    """
    wanted = precision == "bfloat16" or (precision == "auto" and device.type == "cuda")
    if device.type == "cpu" or not wanted:
        return nullcontext()
    return torch.autocast(device.type, torch.bfloat16)
