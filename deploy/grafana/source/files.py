"""The files that Grafana is provisioned with."""

import json
from pathlib import Path

from deploy.grafana.source import benchmarks, fleet, job, service, stragglers

FOLDER = Path(__file__).parents[1] / "dashboards"


def texts() -> dict[str, str]:
    """Return the dashboards as JSON, by the name of their file."""
    made = [module.dashboard() for module in (fleet, job, benchmarks, stragglers, service)]
    return {f"{one['uid']}.json": json.dumps(one, indent=1, ensure_ascii=False) + "\n" for one in made}
