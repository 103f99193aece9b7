import pytest

from core.families import FamilyError
from core.families.tokenizer_files import LARGEST, read_bytes, read_numbers


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "cannot be read: No such file"),
        (b"\xff", "is not UTF-8 text"),
        (b"[1]", "holds no JSON object"),
        (b"{", "is damaged"),
        (b"[" * 100_000, "is damaged|holds no"),
        (b'{"a": 2}', "gives 'a' the number 2; the model has 2"),
        (b'{"a": true}', "gives 'a' the number True"),
        (b'{"a": 1, "b": 1}', "gives two tokens the same number"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(tmp_path, content, sentence):
    file = tmp_path / "vocab.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(FamilyError, match=sentence):
        read_numbers(file, 2)


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
