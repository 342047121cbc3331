"""Build hook: puts the web UI (built if it is missing) and the files for Prometheus and Grafana into the wheel."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface[Any]):
    """An editable install without npm still works (the server then says how to build the UI); a wheel needs the UI."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it collects files; ``version`` is "editable" or "standard"."""
        frontend = Path(self.root, "frontend")
        index = frontend / "dist" / "index.html"
        editable = version == "editable"
        if not editable and not index.is_file() and not os.environ.get("RINGSCOPE_SKIP_UI"):
            npm = shutil.which("npm")
            if npm is None:
                raise RuntimeError("npm was not found: install Node.js 20 or newer, or set RINGSCOPE_SKIP_UI=1.")
            subprocess.run([npm, "ci"], cwd=frontend, check=True)
            subprocess.run([npm, "run", "build"], cwd=frontend, check=True)
        if index.is_file() and not editable:
            target = "frontend/dist" if self.target_name == "sdist" else "ringscope_server/static"
            build_data["force_include"][str(index.parent)] = target
        if self.target_name == "wheel" and not editable:
            for name in ("prometheus.yml", "rules"):
                build_data["force_include"][str(Path(self.root, "deploy", "prometheus", name))] = (
                    f"ringscope/prometheus/{name}"
                )
            dashboards = Path(self.root, "deploy", "grafana", "dashboards")
            build_data["force_include"][str(dashboards)] = "ringscope/grafana/dashboards"
