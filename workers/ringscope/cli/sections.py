"""The top-level help: many commands, in sections."""

from typing import Any

import typer


class SectionedGroup(typer.core.TyperGroup):
    """A group that lists its commands by their panel, in plain text."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the sections, in the order in which the first command of each was added."""
        width = max(map(len, self.commands))
        limit = formatter.width - 6 - width
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            title = getattr(command, "rich_help_panel", None) or "Commands"
            sections.setdefault(title, []).append((name.ljust(width), command.get_short_help_str(limit)))
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)
