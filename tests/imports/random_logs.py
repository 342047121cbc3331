"""Generated logs of nccl-tests: true cells in any generation's columns, between lines as in real logs."""

import random
from dataclasses import dataclass

COLLECTIVES = {
    "all_reduce": (lambda n: 2 * (n - 1) / n, False, "sum"),
    "all_gather": (lambda n: (n - 1) / n, True, "none"),
    "reduce_scatter": (lambda n: (n - 1) / n, True, "sum"),
    "alltoall": (lambda n: (n - 1) / n, True, "none"),
    "broadcast": (lambda n: 1.0, False, "none"),
    "sendrecv": (lambda n: 1.0, False, "sum"),
}
DTYPES = {"int8": 1, "half": 2, "float": 4, "double": 8, "bfloat16": 2}
PREFIXES = ("", " 0: ", "[1,0]<stdout>:", "2026-08-06T09:30:28.572913519-07:00 ", "node-a | ", "\x1b[36m[n-1]\x1b[0m ")
NOISE = (
    "node1:123:456 [0] NCCL INFO Channel 00/0 : 0[35000] -> 1[f5000] [send] via NET/IB/0/GDRDMA",
    "srun: job 12345 queued and waiting for resources",
    "[1712345678.123456] [node1:12345:0] ucp_context.c:1234 UCX  WARN  network device 'mlx5_0:1' is not available",
    "half of the float values  1 2 int 3",
    "",
    "#",
    "Loading module 12.4 ... 100%",
    "  8  2  float",
)


@dataclass
class Log:
    """A text and what is true of it."""

    text: str
    collective: str
    ranks: int
    cells: list[tuple[object, ...]]  # size, in place, dtype, time, algbw, busbw, wrong


def fitted(value: float, width: int) -> str:
    for decimals in (2, 1, 0):
        text = f"{value:.{decimals}f}"
        if len(text) <= width:
            return text
    return f"{value:.0e}"


def random_log(seed: int) -> Log:
    """The same log for the same seed."""
    chance = random.Random(seed)
    name = chance.choice([*COLLECTIVES])
    factor, has_parts, redop = COLLECTIVES[name]
    ranks = chance.choice([2, 3, 4, 8, 12, 16, 64, 512])
    dtype = chance.choice([*DTYPES])
    checks, per_iteration, stamps = chance.random() < 0.8, chance.random() < 0.2, chance.random() < 0.2
    generation = chance.choice(["error", "#wrong", " #wrong"])
    root = 0 if name == "broadcast" else -1
    lines, rows = [], []
    cells: list[tuple[object, ...]] = []
    if chance.random() < 0.8:
        lines.append(f"# Collective test starting: {name}_perf")
    else:
        lines.append(f"mpirun -np {ranks} ./build/{name}_perf -b 8 -e 1G -f 2 -g 1")
    lines.append("# nThread 1 nGpus 1 minBytes 8 maxBytes 1073741824 step: 2(factor) warmup iters: 1 iters: 20")
    if chance.random() < 0.7:
        lines += ["#", "# Using devices"]
        lines += [
            f"#  Rank {i:2d} Group  0 Pid {1000 + i:6d} on node{i // 8:03d} device {i % 8:2d} [0000:1b:00] NVIDIA H100"
            for i in range(ranks)
        ]
    wrong_name = generation.strip() if generation != "error" else "error"
    places = f"time algbw busbw {wrong_name}" + (" i_min i_max i_p99 i_cv%" if per_iteration else "")
    lines.append(f"#  size  count  type  redop  root  {places}  {places}" + ("  timestamp" if stamps else ""))
    lines.append("#  (B)  (elements)  (us)  (GB/s)  (GB/s)")
    size = 2 ** chance.randint(3, 12) * 64 * (ranks if has_parts else 1)
    for _ in range(chance.randint(1, 14)):
        count = size // DTYPES[dtype] // (ranks if has_parts else 1)
        told = [f"{size}", f"{count}", dtype, redop, f"{root}"]
        for in_place in (False, True):
            time_us = chance.uniform(5, 40) + size / chance.uniform(1e3, 4e5)
            algbw = size / time_us / 1e3
            texts = fitted(time_us, 7), fitted(algbw, 6), fitted(algbw * factor(ranks), 6)
            wrong = "N/A" if not checks or (in_place and name in ("alltoall", "sendrecv")) else "0"
            if wrong == "0" and chance.random() < 0.05:
                wrong = f"{chance.randint(1, 10**7):g}"
            if wrong_name == "error" and wrong != "N/A":
                wrong = chance.choice(["0e+00", "2e-07"])
            told += [*texts, wrong] + (["1.00", "2.00", "3.00", "4.00"] if per_iteration else [])
            number = None if wrong == "N/A" or wrong_name == "error" else float(wrong)
            cells.append((size, in_place, dtype, *map(float, texts), number))
        line = "  ".join(text.rjust(chance.choice([0, 7, 12])) for text in told)
        rows.append(line + ("  2026-11-28 10:20:30" if stamps else ""))
        size *= 2
    busbw = [cell[5] for cell in cells]
    footer = ["# Out of bounds values : 0 OK", f"# Avg bus bandwidth    : {sum(busbw) / len(busbw):g} "]  # type: ignore[arg-type]
    whole = [*lines, *rows, *footer, "#", f"# Collective test concluded: {name}_perf"]
    return Log(_worn(whole, chance), name, ranks, cells)


def _worn(lines: list[str], chance: random.Random) -> str:
    """Add prefixes, noise and damage, as they occur."""
    prefix = chance.choice(PREFIXES)
    found = []
    for line in lines:
        if chance.random() < 0.1:
            found.append(prefix + chance.choice(NOISE))
        damage = chance.random()
        if damage < 0.02:
            place = chance.randint(0, len(line))
            found += [prefix + line[:place] + chance.choice(NOISE), line[place:]]
        elif "Rank" in line:  # a list that lacks a whole line cannot be told from a shorter one
            found.append(prefix + line)
        elif damage < 0.03:
            found.append(prefix + line[: chance.randint(0, len(line))])
        elif damage < 0.04:
            continue
        else:
            found.append(prefix + line)
    text = chance.choice(["\n", "\n", "\r\n"]).join(found) + "\n"
    return text[: chance.randint(0, len(text))] if chance.random() < 0.3 else text
