import pytest

from core.families import FamilyError
from core.families.tokenizer_files import LARGEST, read_bytes


def test_a_link_that_leads_elsewhere_and_a_huge_file_are_refused(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "secret").write_text("x")
    (tmp_path / "in" / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(FamilyError, match="leads out of its folder"):
        read_bytes(tmp_path / "in" / "link")
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(FamilyError, match="is larger than 64 MiB"):
        read_bytes(tmp_path / "huge")
