import pytest

from pages.frame.service import OWNER, Visitor, run_folders, run_name, visitors


@pytest.fixture
def folders(tmp_path):
    """A gallery, and runs of the teacher, of A and of B."""
    gallery, runs = tmp_path / "gallery", tmp_path / "runs"
    class_runs = [runs / ".class" / name / "own" for name in ("A", "B")]
    for path in (gallery / "copy", runs / "own", *class_runs):
        path.mkdir(parents=True)
        (path / "run.json").touch()
    (gallery / "experiments").mkdir()
    (runs / ".class" / "A" / ".opening-x").mkdir()
    return gallery, runs


def test_a_visitor_sees_the_gallery_and_her_own_runs_alone(folders):
    gallery, runs = folders
    own = {"runs/A/own": runs / ".class/A/own"}
    assert run_folders(Visitor("A"), *folders) == {"copy": gallery / "copy", **own}
    assert list(run_folders(Visitor("new"), *folders)) == ["copy"]


def test_the_owner_sees_all_runs_under_the_names_that_they_have_for_everybody(folders):
    found, runs = run_folders(OWNER, *folders), folders[1]
    assert list(found) == ["copy", "runs/own", "runs/A/own", "runs/B/own"]
    assert found["runs/B/own"] == run_folders(Visitor("B"), *folders)["runs/B/own"]
    assert [run_name(path, runs) for path in list(found.values())[1:]] == list(found)[1:]
    assert visitors(runs) == ["A", "B"]
