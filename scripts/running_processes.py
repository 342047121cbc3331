"""Find processes that run on this machine already and could disturb a run of the tests."""

import psutil

PROGRAMS = ("ringscope", "mpiexec", "hydra_pmi_proxy", "prometheus", "postgres", "slurmctld", "slurmd", "munged")
PROGRAMS += ("chromium", "chrome", "vite", "pytest")
SHOWN = 10


def neighbours() -> list[str]:
    """A line for each such process that is none of ours: its number, and how its command begins."""
    ours = {process.pid for process in (psutil.Process(), *psutil.Process().parents())}
    found = []
    for process in psutil.process_iter():
        try:
            command = [word.rpartition("/")[2] for word in process.cmdline()[:4]]
        except psutil.Error:
            continue
        if process.pid not in ours and any(word.startswith(PROGRAMS) for word in command):
            found.append(f"{process.pid} {' '.join(command)}")
    more = [f"and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
    return found[:SHOWN] + more
