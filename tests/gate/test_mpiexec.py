"""Ranks of this machine are started in one place only, which clears the environment of batch systems."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("workers", "backend", "benchmarks", "tests", "examples", "deploy", "scripts")
NAMES = "mpiexec|mpirun|orterun|prterun|srun"
PROGRAM = re.compile(rf"(?:\S*/)?(?:{NAMES})(?:\.\w+)?")
# Who names one of these programs, and why that starts no ranks.
NAMING = {
    "workers/ringscope/rank/mpiexec.py": "starts them",
    "workers/ringscope_agent/launch/programs.py": "finds it for the manual launcher",
    "workers/ringscope_agent/launch/outcome.py": "says what was killed",
    "scripts/running_processes.py": "knows processes by their names",
    "tests/gpu/facts.py": "tells where it is",
    "tests/cluster/hosts/soak/faults.py": "knows processes by their names",
    "tests/cluster/hosts/test_faults.py": "knows processes by their names",
    "tests/agent/launch/test_node_check.py": "makes values of its path",
    "tests/rank/test_mpiexec.py": "puts false ones on PATH",
    "workers/ringscope_agent/launch/node_run.py": "says which process is stopped",
    "tests/agent/test_attempt.py": "reads which process is stopped",
    "tests/agent/launch/test_launcher_watch.py": "reads which process is stopped",
    "tests/agent/launch/test_stopped.py": "reads which process is stopped",
    "tests/cluster/processes/test_watch.py": "knows processes by their names",
    "tests/cluster/processes/test_mute.py": "knows processes by their names",
    "tests/cluster/processes/test_strikes.py": "knows processes by their names",
    "tests/examples/test_commands.py": "knows the programs of the documents",
}
# Who may ask for its path: whoever has it start nothing, or uses Hydra's manual launcher.
FINDING = {
    "workers/ringscope/rank/mpiexec.py",
    "workers/ringscope/rank/local.py",
    "workers/ringscope/cli/processes/stack.py",
    "benchmarks/engine/gangs.py",
}


def sources() -> dict[str, ast.Module]:
    """The modules that name a launcher anywhere, be it in a comment."""
    files = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if "node_modules" not in path.parts)
    texts = {str(path.relative_to(ROOT)): path.read_text() for path in files}
    return {name: ast.parse(text) for name, text in texts.items() if re.search(NAMES, text)}


def names_a_launcher(module: ast.Module) -> bool:
    constants = (node.value for node in ast.walk(module) if isinstance(node, ast.Constant))
    return any(isinstance(value, str) and PROGRAM.fullmatch(value) for value in constants)


def finds_mpiexec(module: ast.Module) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "find_mpiexec" for node in ast.walk(module))


def test_only_one_place_starts_mpiexec() -> None:
    modules = sources()
    here = str(Path(__file__).relative_to(ROOT))
    naming = {name for name, module in modules.items() if names_a_launcher(module)} - {here}
    assert naming <= set(NAMING), "use ringscope.rank.mpiexec.start_ranks"
    assert {name for name, module in modules.items() if finds_mpiexec(module)} <= FINDING


def test_a_start_by_hand_would_be_seen() -> None:
    assert names_a_launcher(ast.parse("subprocess.run(['/usr/bin/mpiexec', '-n', '2'])"))
    assert names_a_launcher(ast.parse("command = [Path(sys.executable).with_name('mpiexec')]"))
    assert not names_a_launcher(ast.parse("'mpiexec was not found'"))
