"""The summary of the checks of a loaded machine, and the baseline against which a healthy one has lost a tenth."""

import pytest
from benchmarks.diagnosis.machine_checks import scaled, summary


def test_each_kind_is_counted_by_its_exit_codes() -> None:
    codes = [("healthy", 0, 3.1), ("healthy", 0, 11.0), ("healthy", 3, 4.0), ("lost", 1, 5.5), ("healthy", 130, 7.0)]
    runs = [{"planted": kind, "exit_code": code, "load": load} for kind, code, load in codes]
    assert summary(runs) == [
        "healthy: 4 checks at a load of 3.1 to 11: 2 fine, 1 not judged, 1 failed",
        "lost: 1 checks at a load of 5.5 to 5.5: 1 low",
    ]
    assert summary([])[1] == "lost: 0 checks at a load of 0 to 0: "


def test_a_baseline_of_higher_rates_keeps_everything_else() -> None:
    rates = {"memory bandwidth": {"low": 9.0, "high": 9.9}, "all-reduce": {"low": 1.8, "high": 1.89}}
    baseline = {"hardware": "Some; 2 cores", "cards": {"eth0": 25.0}, "rates": rates}
    higher = scaled(baseline, 1 / 0.9)
    assert higher["rates"]["memory bandwidth"] == pytest.approx({"low": 10.0, "high": 11.0})
    assert higher["rates"]["all-reduce"] == pytest.approx({"low": 2.0, "high": 2.1})
    assert higher | {"rates": rates} == baseline, "nor is the given one changed"
