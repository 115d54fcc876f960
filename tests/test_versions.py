import semisvm
from semisvm.versions import installed_versions


def test_versions_of_what_is_installed_and_what_is_not(capsys):
    versions = installed_versions()
    assert versions["numpy"] is not None
    semisvm.show_versions()
    shown = capsys.readouterr().out
    assert f"numpy        {versions['numpy']}" in shown
    assert "threads" in shown
