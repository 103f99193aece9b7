"""Train and test, split by hash: the same on every machine, whatever is drawn when."""

import hashlib

TEST_SHARE = 0.1


def place(key: str, salt: str = "") -> float:
    """Return where a key falls between 0 and 1 (not included); a function of key and salt alone."""
    digest = hashlib.blake2b(f"{salt}/{key}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64


def is_in_test_part(key: str, salt: str = "", share: float = TEST_SHARE) -> bool:
    """Say whether a key falls into the test part."""
    return place(key, salt) < share
