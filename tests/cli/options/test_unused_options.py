"""Options that would do nothing are refused, each with the reason and the remedy."""

from pathlib import Path

import pytest
from tests.cli.conftest import assert_refused, clean_environment, run_ringscope

from ringscope.cli.commands.plan import SERVED
from ringscope.contracts.cluster import ClusterSpec
from ringscope.cost.prices import PRICED, prices

SIMULATED = ("--transport", "simulated", "--topology", "2x2")
OF_A_JOB = "it is only for the trace of a job; add --job N, or leave it out."
OF_AN_ALGORITHM = "the trace of a job already determines this; leave it out, or leave --job out."
MEASURED = "it has no effect on the cost model's times of a simulated sweep; leave it out."
ROOTLESS = "only broadcast and reduce have a root; leave it out."

UNUSED = [
    *((("trace", "ring", flag, value), flag, OF_A_JOB) for flag, value in (("--size", "1M"), ("--in-place", "1"))),
    (("trace", "ring", "--json"), "--json", OF_A_JOB),
    (("trace", "ring", "--url", "http://127.0.0.1:1"), "--url", OF_A_JOB),
    (("trace", "ring", "--data-dir", "/nowhere"), "--data-dir", OF_A_JOB),
    (("trace", "ring", "--root", "1"), "--root", ROOTLESS),
    *(
        (("trace", "--job", "1", flag, value), flag, OF_AN_ALGORITHM)
        for flag, value in (
            ("--values", "1;2"),
            ("--topology", "2x2"),
            ("--ranks", "2"),
            ("--root", "1"),
            ("--collective", "reduce"),
            ("--channels", "2"),
        )
    ),
    (("bench", "--root", "1"), "--root", ROOTLESS),
    (("submit", "--root", "1"), "--root", ROOTLESS),
    (("submit", "--collective", "sendrecv", "-o", "max"), "--op", "sendrecv does not reduce; leave it out."),
    (("bench", "broadcast", "--op", "max"), "--op", "broadcast does not reduce; leave it out."),
    (
        ("bench", "-K", "3"),
        "--skip-iterations",
        "it affects only the report of -I; add -I 1, or leave it out.",
    ),
    (
        ("bench", "--skip-missing"),
        "--skip-missing",
        "it leaves out some algorithms of --algorithm; add --algorithm, or leave it out.",
    ),
    *(
        (("bench", *SIMULATED, flag, value), long, MEASURED)
        for flag, value, long in (
            ("-w", "7", "--warmup"),
            ("-m", "2", "--aggregate"),
            ("-z", "1", "--blocking"),
            ("-a", "max", "--average"),
            ("--rotate", "1", "--rotate"),
            ("-c", "0", "--check"),
            ("-T", "9", "--timeout"),
        )
    ),
    (
        ("bench", *SIMULATED, "--data-dir", "/nowhere"),
        "--data-dir",
        "a simulated sweep reads no measurements of this machine; leave it out.",
    ),
    (("trace", "--job", "1", "--reverse"), "--reverse", OF_AN_ALGORITHM),
    *(
        (("tune", "--show", *given), long, "--show measures nothing; leave one of the two out.")
        for *given, long in (("-n", "7", "--iterations"), ("--keep", "--keep"), ("--ranks", "2", "--ranks"))
    ),
    (
        ("fit", "x.json", "--url", "http://127.0.0.1:1"),
        "--url",
        "the files are read here, without a server; leave it out.",
    ),
    (("fit", "--job", "1", "--algorithm", "ring"), "--algorithm", "the rows of a job name their own; leave it out."),
    (
        ("up", "--prometheus-port", "1"),
        "--prometheus-port",
        "no Prometheus is started; add --prometheus, or leave it out.",
    ),
    (("jobs", "--all", "--limit", "3"), "--limit", "--all lists every job; leave one of the two out."),
    *(
        (
            ("events", "--export", "csv", *given),
            long,
            "--export writes all events that match, in its own format; leave it out.",
        )
        for *given, long in (("-f", "--follow"), ("--limit", "3", "--limit"), ("--json", "--json"))
    ),
    (
        ("events", "-f", "--until", "1h"),
        "--until",
        "--follow prints new events until Ctrl-C; leave one of the two out.",
    ),
    (
        ("lab", "up", "--oversubscription", "4"),
        "--oversubscription",
        "one rack has no uplink; add --racks 2, or leave it out.",
    ),
    (
        ("slurm", "--nodes", "1", "--time", "1", "--dry-run", "--wait"),
        "--wait",
        "--dry-run submits nothing to wait for; leave one of the two out.",
    ),
    *(
        ((*command, "--dry-run", flag), flag, "--dry-run submits no job to wait for; leave one of the two out.")
        for command in (("submit",), ("train", "mlp"))
        for flag in ("--wait", "--follow")
    ),
    (("plan", "--up-to", "8", "--ranks", "4"), "--ranks", "--up-to gives the numbers of ranks; leave it out."),
    (("plan", "--up-to", "8", "--topology", "2x2"), "--topology", "--up-to gives the numbers of ranks; leave it out."),
    (
        ("plan", "--algorithm", "ring", "--servers", "2"),
        "--servers",
        f"only {', '.join(SERVED)} have servers; leave it out.",
    ),
]


@pytest.mark.parametrize(
    ("arguments", "flag", "sentence"), UNUSED, ids=[" ".join(arguments) for arguments, _, _ in UNUSED]
)
def test_an_option_that_would_do_nothing_is_refused(
    arguments: tuple[str, ...], flag: str, sentence: str, tmp_path: Path
) -> None:
    environment = clean_environment(RINGSCOPE_DATA_DIR=str(tmp_path))
    assert_refused(run_ringscope(*arguments, environment=environment), f"{flag}: {sentence}")


def test_servers_are_taken_with_every_algorithm_whose_price_they_change() -> None:
    cluster = ClusterSpec(shape="8", link="10gbe").topology

    def time_s(name: str, servers: int) -> float:
        (price,) = prices([name], 1 << 20, cluster, servers)
        return price.time_s

    changed = {name for name in PRICED if name != "nccl" and time_s(name, 1) != time_s(name, 2)}
    assert changed == {*SERVED}


def test_a_value_that_is_the_default_asks_for_nothing() -> None:
    usual = ("-b", "8K", "-e", "8K", "--root", "0", "--op", "sum", "-K", "0", "-w", "5", "-c", "1", "-a", "mean")
    done = run_ringscope("bench", "broadcast", *SIMULATED, *usual, environment=clean_environment())
    assert (done.returncode, done.stderr) == (0, "")
