"""A host on which nothing runs has only the agent with a spare shim, and no attempt on its disk."""

from collections.abc import Iterator

import psutil
from tests.cluster.hosts.soak.faults import is_shim
from tests.cluster.hosts.soak.site import Site

from ringscope.contracts.rank_process import TOKEN_VARIABLE


def leftovers(site: Site, host: str) -> Iterator[str]:
    """Processes and files that should be gone, each as a sentence."""
    try:
        agent = site.agent(host)
        others = [process for process in site.processes(host) if process != agent]
        if len(others) > 1 or not all(is_shim(process) for process in others):
            commands = [" ".join(process.cmdline())[:80] for process in others]
            yield f"processes are left on {host}: {commands}"
        yield from (f"a process of an attempt is left on {host}: {process}" for process in others if _is_of(process))
    except psutil.Error as error:
        yield f"{host}: {error}"
    folders = [path.name for path in (site.data_dir / "lab" / host / "attempts").iterdir()]
    if folders:
        yield f"attempts are left on the disk of {host}: {folders}"


def _is_of(process: psutil.Process) -> bool:
    return TOKEN_VARIABLE in process.environ()
