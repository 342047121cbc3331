"""The variables on top of every dashboard, and what expressions write for them."""

from typing import Any

SOURCE = {"type": "prometheus", "uid": "${datasource}"}
ALL = {"text": "All", "value": "$__all"}

# Label matchers. A job's id is matched on everything that lives and dies with a job.
CLUSTER = 'cluster=~"$cluster"'
NODE = f'{CLUSTER},node=~"$node"'
JOB = f'{CLUSTER},job_id=~"$job_id"'
RANK = f'{JOB},node=~"$node",rank=~"$rank"'
RANK_OP = f'{RANK},op=~"$op"'

_QUERIES = {
    "cluster": ("Cluster", "label_values(ringscope_build_info, cluster)"),
    "node": ("Node", f"label_values(ringscope_node_up{{{CLUSTER}}}, node)"),
    "kind": ("Kind", f"label_values(ringscope_jobs{{{CLUSTER}}}, kind)"),
    "job_id": ("Job", f'label_values(ringscope_job_info{{{CLUSTER},kind=~"$kind"}}, job_id)'),
    "rank": ("Rank", f"label_values(ringscope_rank_up{{{JOB}}}, rank)"),
    "op": ("Collective", f"label_values(ringscope_rank_collectives_total{{{JOB}}}, op)"),
}
_REFRESH_ON_TIME_RANGE = 2  # so that ended jobs appear when the range covers them
_HIDDEN = 2
_NEWEST_FIRST, _NUMERICAL, _ALPHABETICAL = 4, 3, 1
_SORT = {"job_id": _NEWEST_FIRST, "rank": _NUMERICAL}


def variables(used: set[str], *, one_job: bool) -> list[dict[str, Any]]:
    """All of them: what a dashboard does not use is hidden, and still goes along to the next dashboard."""
    queries = [_query(name, is_used=name in used, one_job=one_job) for name in _QUERIES]
    return [_data_source(), *queries, _page()]


def _data_source() -> dict[str, Any]:
    return {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus", "hide": 0}


def _query(name: str, *, is_used: bool, one_job: bool) -> dict[str, Any]:
    label, query = _QUERIES[name]
    is_one = one_job and name == "job_id"
    variable = {
        "name": name,
        "label": label,
        "type": "query",
        "datasource": SOURCE,
        "definition": query,
        "query": {"query": query, "refId": name},
        "refresh": _REFRESH_ON_TIME_RANGE,
        "sort": _SORT.get(name, _ALPHABETICAL),
        "hide": 0 if is_used else _HIDDEN,
        "includeAll": not is_one,
        "multi": not is_one,
    }
    if is_one:
        return variable
    # Without allValue "All" of the jobs is a list of them, which keeps to the kind that was chosen.
    return variable | {"current": ALL} | ({} if name == "job_id" else {"allValue": ".*"})


def _page() -> dict[str, Any]:
    """Return a variable with the URL of the server's page, for links to a job; Prometheus scrapes another address."""
    url = "http://127.0.0.1:8000"
    current = {"text": url, "value": url}
    return {"name": "ringscope", "label": "Ringscope", "type": "textbox", "query": url, "current": current, "hide": 0}
