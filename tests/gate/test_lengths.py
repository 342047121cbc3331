"""What the lint prints of the modules' lengths."""

from scripts import lengths


def test_every_module_is_counted_but_for_migrations() -> None:
    lines = lengths.lines_of()
    assert lines["workers/ringscope_agent/agent.py"] > 20
    assert not any("migrations" in name for name in lines)


def test_files_above_the_limit_are_named_the_longest_first() -> None:
    assert lengths.told({"a.py": 90, "b.py": 400, "c.py": 100, "d.py": 351, "e.py": 1}) == [
        "Modules: 5, median 100 lines (limit 110), the longest 400 (limit 350)",
        "  400 lines: b.py",
        "  351 lines: d.py",
    ]
