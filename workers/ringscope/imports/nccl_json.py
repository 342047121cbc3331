"""nccl-tests' JSON (-J), versions 1 to 4, ours with more fields, and the structured output of a fork. Pure."""

import re
from typing import Any

from ringscope.contracts.words.units import is_whole_number
from ringscope.imports.model import Device, Row, Run
from ringscope.imports.names import collective_named, program_in
from ringscope.imports.partial_json import Cut, Document, cell, documents, number, text_of, whole
from ringscope.imports.redaction import redacted, telling

_MOST_ERRORS = 3
_GPUS = re.compile(r"\s-g\s{0,3}([0-9]{1,4})\b")


def sniff(text: str) -> bool:
    """Return whether the text has a document of nccl-tests, complete or cut."""
    return ('"results"' in text and '"config"' in text) or '"nccl-tests structured output"' in text


def read(text: str) -> list[Run]:
    """Return a run for each document, of ours for each algorithm."""
    runs: list[Run] = []
    for document in documents(text):
        if not isinstance(document.value, dict):
            continue
        if "benchmark" in document.value and "identifier" in document.value:
            runs.append(_fork(document, text))
        elif "config" in document.value or "results" in document.value:
            runs += _official(document)
    return runs


def _official(document: Document) -> list[Run]:
    value = document.value
    base = Run("ringscope" if "ringscope" in value else "nccl-tests", document.line)
    arguments = [text_of(word) or "" for word in _list(value.get("args"))]
    for name, source in ((value.get("collective"), "collective"), (arguments[0] if arguments else None, "args")):
        if base.collective is None and isinstance(name, str) and (known := collective_named(name)):
            base.collective, base.collective_from = known, source
    _machine(base, value)
    base.simulated = value.get("simulated") is not None
    if not document.is_whole or not {"results", "end_time"} <= value.keys():
        base.partial = True
    for error in _list(value.get("errors"))[:_MOST_ERRORS]:
        base.failed = True
        base.note(f"The file has an error: {redacted(str(error))[:160]}")
    bounds = value.get("out_of_bounds")
    if isinstance(bounds, dict) and (bounds.get("okay") == "false" or number(bounds.get("count"))):
        base.failed = True
    results = [one for one in _list(value.get("results")) if isinstance(one, dict)]
    by_algorithm: dict[str | None, list[dict[str, Any]]] = {}
    for result in results:
        by_algorithm.setdefault(text_of(result.get("algorithm")), []).append(result)
    runs = [_run_of(base, name, group) for name, group in by_algorithm.items()] or [base]
    average = value.get("average_bus_bandwidth")
    if len(runs) == 1 and isinstance(average, dict):
        runs[0].mean_busbw = cell(average.get("bandwidth"))
        runs[0].failed |= average.get("okay") == "false"
    return runs


def _run_of(base: Run, algorithm: str | None, results: list[dict[str, Any]]) -> Run:
    run = Run(base.tool, base.line, base.collective, base.collective_from, partial=base.partial, failed=base.failed)
    run.machine, run.notes, run.simulated = base.machine, [*base.notes], base.simulated
    run.algorithm = algorithm
    if algorithm is not None:
        run.note(f"Algorithm {algorithm}.")
    ranks = {whole(result.get("ranks")) for result in results} - {None}
    if len(ranks) == 1:
        run.ranks, run.ranks_from = ranks.pop(), "the results"
    for result in results:
        if isinstance(result, Cut):
            run.partial = True
            continue
        name = text_of(result.get("experiment_name"))
        if run.collective is None and name and (known := collective_named(name)):
            run.collective, run.collective_from = known, "experiment_name"
        for place in ("out_of_place", "in_place"):
            if isinstance(result.get(place), dict) and (
                row := _row(result, result[place], place == "in_place", run.line)
            ):
                run.rows.append(row)
    return run


def _row(result: dict[str, Any], numbers: dict[str, Any], in_place: bool, line: int) -> Row | None:
    size = whole(result.get("size"))
    if size is None or "alg_bw" not in numbers or "bus_bw" not in numbers:
        return None
    return Row(
        line,
        size,
        in_place,
        text_of(result.get("type")),
        time_us=cell(numbers.get("time")),
        algbw=cell(numbers["alg_bw"]),
        busbw=cell(numbers["bus_bw"]),
        wrong=number(numbers.get("nwrong")),
        count=whole(result.get("count")),
        redop=text_of(result.get("redop")),
        root=whole(result.get("root")),
    )


def _machine(run: Run, value: dict[str, Any]) -> None:
    config = value.get("config")
    for device in _list(config.get("devices")) if isinstance(config, dict) else []:
        if not isinstance(device, dict) or isinstance(device, Cut):
            return
        rank, host = whole(device.get("rank")), text_of(device.get("hostname"))
        if rank is not None and host is not None:
            model = text_of(device.get("device_info")) or ""
            run.machine.devices.append(Device(rank, whole(device.get("group")) or 0, host, model))
    version = whole(value.get("nccl_version"))
    if version is not None and 2_000 <= version < 100_000:
        major, rest = divmod(version, 10_000 if version >= 10_000 else 1_000)
        run.machine.versions["nccl"] = f"{major}.{rest // 100}.{rest % 100}"
    run.machine.environment = telling(text_of(one) or "" for one in _list(value.get("env")))
    if run.machine.environment.get("NCCL_NVLS_ENABLE") == "0":
        run.machine.nvls = False


def _fork(document: Document, text: str) -> Run:
    """Read the output of a fork, whose keys are the sizes; the command line before it has collective and ranks."""
    run = Run("nccl-tests (fork)", document.line, partial=not document.is_whole)
    lines = text.split("\n")[: document.line - 1]
    for line in reversed(lines):
        if program := program_in(line):
            run.collective, run.collective_from = program, "the command line"
            if found := _GPUS.search(line):
                run.ranks, run.ranks_from = int(found[1]), "the command line"
            break
    version = text_of(document.value.get("version"))
    if version:
        run.machine.versions["nccl"] = version
    for group in _list(document.value["benchmark"]):
        for key, numbers in group.items() if isinstance(group, dict) else ():
            if not isinstance(numbers, dict) or isinstance(numbers, Cut) or not is_whole_number(key) or len(key) > 20:
                continue
            for prefix in ("oop", "ip"):
                algbw, busbw = cell(numbers.get(f"{prefix}_algbw")), cell(numbers.get(f"{prefix}_busbw"))
                if algbw is None or busbw is None:
                    continue
                run.rows.append(
                    Row(
                        document.line,
                        int(key),
                        prefix == "ip",
                        text_of(numbers.get("type")),
                        time_us=cell(numbers.get(f"{prefix}_time")),
                        algbw=algbw,
                        busbw=busbw,
                        wrong=number(numbers.get(f"{prefix}_error")),
                        count=whole(numbers.get("count")),
                        redop=text_of(numbers.get("redop")),
                        root=whole(numbers.get("root")),
                    )
                )
    return run


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
