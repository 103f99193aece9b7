import pytest

from pages.frame.run_folders import name_of, seen_by, visitors
from pages.frame.service import OWNER, Visitor


@pytest.fixture
def folders(tmp_path):
    """A gallery, and runs of the teacher, of Ann and of Ben."""
    gallery, runs = tmp_path / "gallery", tmp_path / "runs"
    for path in (
        gallery / "copy",
        runs / "own",
        *(runs / ".class" / n / "own" for n in ("A", "B")),
    ):
        path.mkdir(parents=True)
        (path / "run.json").touch()
    (gallery / "experiments").mkdir()
    (runs / ".class" / "A" / ".opening-x").mkdir()
    return gallery, runs


def test_a_visitor_sees_the_gallery_and_her_own_runs_alone(folders):
    gallery, runs = folders
    assert seen_by(Visitor("A"), *folders) == {
        "copy": gallery / "copy",
        "runs/A/own": runs / ".class/A/own",
    }
    assert list(seen_by(Visitor("new"), *folders)) == ["copy"]


def test_the_owner_sees_all_runs_under_the_names_that_they_have_for_everybody(folders):
    found = seen_by(OWNER, *folders)
    assert list(found) == ["copy", "runs/own", "runs/A/own", "runs/B/own"]
    assert found["runs/B/own"] == seen_by(Visitor("B"), *folders)["runs/B/own"]


def test_runs_that_are_not_of_the_gallery_are_called_by_their_place(folders):
    _, runs = folders
    assert visitors(runs) == ["A", "B"]
    for name, path in seen_by(OWNER, *folders).items():
        if name != "copy":
            assert name_of(path, runs) == name


def test_without_any_folder_there_is_no_run(tmp_path):
    assert seen_by(OWNER, tmp_path / "none", tmp_path / "neither") == {}
