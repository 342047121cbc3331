"""`ringscope train`, and how training jobs are shown."""

import json
from typing import Any

import pytest
from tests.cli.conftest import Server, assert_refused
from tests.cli.fake_api import Answer, FakeApi, items, job

TRAINING = {"kind": "training", "spec": {"kind": "training", "training": {"epochs": 3}}, "name": "digits"}
SUMMARY = {
    "kind": "training",
    "loss": 0.12345,
    "validation_accuracy": 0.975,
    "samples_per_second": 12_345.6,
    "step_seconds": 10.0,
    "exposed_communication_seconds": 0.5,
    "input_seconds": 0.1,
    "epochs_done": 3,
    "steps_done": 12,
    "seconds_to_target": 4.2,
    "scaling_efficiency": 0.87,
}


def training(state: str, epochs: int, **summary: Any) -> dict[str, Any]:
    done = {"done": 4 * epochs, "total": 12 if epochs else None}
    figures = SUMMARY | {"epochs_done": epochs, "steps_done": 4 * epochs} | summary
    return job(5, **TRAINING, state=state, progress=done, summary=figures)


def epoch(number: int, **more: Any) -> dict[str, Any]:
    told = {"id": number, "attempt": 1, "rank": 0, "epoch": number, "step": 4 * number, "training_loss": 1 / number}
    times = {"duration_us": 500_000.0, "validation_us": 1.0, "checkpoint_us": 1.0, "ended_at": "2026-01-02T03:04:05Z"}
    return told | {"validation_loss": 0.5, "validation_accuracy": 0.9, "samples": 1000} | times | more


def test_every_flag_reaches_the_spec(server: Server) -> None:
    earlier = json.loads(server.run("train", "mlp", "--json").stdout)["id"]
    done = server.run(
        *("train", "cnn", "--dataset", "cifar10", "--data-path", "/data", "--strategy", "multi_worker_mirrored"),
        *("--all-reduce", "ring", "--device", "cpu", "--ranks", "3", "--nodes", "1", "--epochs", "7"),
        *("--batch-size", "96", "--learning-rate", "0.1", "--optimizer", "adam", "--precision", "bfloat16"),
        *("--target-accuracy", "0.9", "--resume-from", str(earlier), "--name", "all flags", "--priority", "70"),
        *("--time-limit", "90", "--label", "team=ml", "--set", "training.bucket_bytes=4M"),
        *("--set", "training.model_arguments.hidden=128", "--set", "max_attempts=2", "--json"),
    )
    assert done.returncode == 0, done.stderr
    spec = json.loads(done.stdout)["spec"]
    wanted = {
        "model": "cnn",
        "model_arguments": {"hidden": 128},
        "strategy": "multi_worker_mirrored",
        "all_reduce": "ring",
        "device": "cpu",
        "epochs": 7,
        "global_batch_size": 96,
        "learning_rate": 0.1,
        "optimizer": "adam",
        "precision": "bfloat16",
        "target_accuracy": 0.9,
        "resume_from": earlier,
        "bucket_bytes": 4 << 20,
    }
    assert {name: spec["training"][name] for name in wanted} == wanted
    assert (spec["training"]["dataset"]["name"], spec["training"]["dataset"]["path"]) == ("cifar10", "/data")
    assert (spec["placement"]["ranks"], spec["placement"]["nodes"], spec["priority"]) == (3, 1, 70)
    assert (spec["name"], spec["time_limit_seconds"], spec["max_attempts"]) == ("all flags", 90, 2)
    assert spec["labels"] == {"team": "ml"}


def test_flags_of_parameter_servers_reach_the_spec(server: Server) -> None:
    flags = ("--strategy", "parameter_server", "--servers", "2", "--consistency", "ssp", "--staleness", "3")
    done = server.run("train", "mlp", "--ranks", "4", *flags, "--json")
    assert done.returncode == 0, done.stderr
    training = json.loads(done.stdout)["spec"]["training"]
    assert (training["servers"], training["consistency"], training["staleness"]) == (2, "ssp", 3)


def test_the_fewest_ranks_reach_the_spec(server: Server) -> None:
    done = server.run("train", "mlp", "--ranks", "4", "--min-ranks", "2", "--json")
    placement = json.loads(done.stdout)["spec"]["placement"]
    assert (placement["ranks"], placement["min_ranks"]) == (4, 2)
    assert_refused(
        server.run("train", "mlp", "--ranks", "4", "--min-ranks", "5"),
        "placement.min_ranks: 5 are more than 4 ranks; lower it.",
    )


def test_the_stages_of_a_pipeline_reach_the_spec(server: Server) -> None:
    words = ("--strategy", "pipeline", "--stages", "3", "--micro-batches", "6", "--schedule", "gpipe")
    done = server.run("train", "mlp", "--ranks", "3", *words, "--json")
    training = json.loads(done.stdout)["spec"]["training"]
    assert (training["stages"], training["micro_batches"], training["schedule"]) == (3, 6, "gpipe")
    assert_refused(server.run("train", "mlp", "--stages", "3"), "training.stages", "choose pipeline")


def test_the_interval_of_local_sgd_reaches_the_spec(server: Server) -> None:
    done = server.run("train", "mlp", "--ranks", "2", "--strategy", "local_sgd", "--sync-every", "32", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["spec"]["training"]["sync_every"] == 32
    assert_refused(server.run("train", "mlp", "--sync-every", "4"), "training.sync_every", "choose local_sgd")


def test_what_is_wrong_is_one_line(server: Server) -> None:
    assert_refused(server.run("train", "vgg"), "training.model", "mlp")
    assert_refused(server.run("train", "gpt"), "training.dataset.name", "gpt cannot read digits")
    assert_refused(server.run("train", "mlp", "--set", "epochs"), "--set epochs: this is not field=value")


def test_files_of_ones_own_reach_the_spec(server: Server) -> None:
    words = ("--model", "my_model.py:make", "--dataset", "my_data.py", "--set", "training.dataset.workers=2")
    training = json.loads(server.run("train", *words, "--json").stdout)["spec"]["training"]
    assert training["model"] == {"file": "my_model.py", "build": "make"}
    dataset = training["dataset"]
    assert (dataset["name"], dataset["file"], dataset["load"], dataset["workers"]) == ("own", "my_data.py", "load", 2)
    assert_refused(server.run("train", "mlp", "--model", "my_model.py"), "MODEL: name the model once")
    assert_refused(server.run("train"), "MODEL: name the model once")
    assert_refused(server.run("train", "../net.py:make"), "training.model.file: name a .py file by its path below")
    assert_refused(server.run("train", "net.py", "--strategy", "tf_mirrored"), "net.py:build is not available for Tens")


def test_a_dry_run_submits_nothing(server: Server) -> None:
    def jobs() -> list[int]:
        return [job["id"] for job in json.loads(server.run("jobs", "--kind", "training", "--json").stdout)]

    before = jobs()
    done = server.run("train", "mlp", "--ranks", "2", "--dry-run")
    assert done.returncode == 0 and "start" in done.stdout
    assert jobs() == before


def test_waiting_tells_each_epoch_once(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ringscope.cli.follow.POLL_SECONDS", 0)
    states = [("running", 0), ("running", 1), ("running", 1), ("running", 2), ("succeeded", 3)]
    api.answers["POST /jobs"] = Answer(training("queued", 0), 201)
    api.answers["GET /jobs/5"] = [training(state, epochs) for state, epochs in states]
    pages = [[], [epoch(1)], [epoch(1), epoch(2, training_loss=None)], [epoch(1), epoch(2), epoch(3)]]
    api.answers["GET /jobs/5/epochs"] = [items(*page) for page in pages]
    done = api.run("train", "mlp", "--wait")
    assert done.err.splitlines() == [
        "Job 5 digits: running",
        "epoch 1 of 3: loss 1.0000, accuracy 90.0%, 2,000 samples/s",
        "epoch 2 of 3: loss diverged, accuracy 90.0%, 2,000 samples/s",
        "epoch 3 of 3: loss 0.3333, accuracy 90.0%, 2,000 samples/s",
    ]
    assert done.code == 0
    assert done.out.splitlines()[:2] == [
        "Job 5 digits: succeeded",
        "loss 0.1235, accuracy 97.5%, 12,346 samples/s, waiting in steps: 5.0% for sums and 1.0% for samples, "
        "target reached after 4.2 s, 87% of linear scaling",
    ]


def test_waiting_that_nobody_sees_is_not_told(api: FakeApi) -> None:
    api.answers["GET /jobs/5"] = training("succeeded", 3, exposed_communication_seconds=None, input_seconds=None)
    api.answers["GET /jobs/5/epochs"] = items()
    assert "waiting" not in api.run("show", "5").out


def test_show_has_a_table_of_epochs(api: FakeApi) -> None:
    api.answers["GET /jobs/5"] = training("running", 2)
    api.answers["GET /jobs/5/epochs"] = items(epoch(1), epoch(2, validation_loss=None, validation_accuracy=None))
    lines = api.run("show", "5").out.splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("EPOCH"))
    assert lines[start + 1].split() == ["1", "4", "1.0000", "0.5000", "90.00%", "2,000", "0.50", "1"]
    assert lines[start + 2].split() == ["2", "8", "0.5000", "2,000", "0.50", "1"]
    assert lines[-1].startswith("loss 0.1235, accuracy 97.5%")


def test_the_list_says_steps_and_figures_of_training(api: FakeApi) -> None:
    api.answers["GET /jobs"] = items(training("running", 0, steps_done=2), training("succeeded", 3), job(1))
    lines = api.run("jobs").out.splitlines()
    assert "0/?" in lines[1] and "12/12" in lines[2] and "0/8" in lines[3]
    assert "loss 0.1235" in lines[2]


def test_two_strategies_beside_each_other(api: FakeApi) -> None:
    ddp = {"spec": TRAINING["spec"] | {"training": {"epochs": 3, "strategy": "torch_ddp"}}}
    api.answers["GET /jobs/5"] = training("succeeded", 3)
    api.answers["GET /jobs/6"] = training("succeeded", 3, samples_per_second=6_000.0) | {"id": 6} | ddp
    for number in (5, 6):
        api.answers[f"GET /jobs/{number}/measurements"] = items()
        api.answers[f"GET /jobs/{number}/environment"] = items()
    lines = [line.split() for line in api.run("diff", "5", "6").out.splitlines()]
    assert ["training.strategy", "mirrored", "torch_ddp"] in lines
    assert ["samples_per_second", "12,346", "6000"] in lines


def test_a_model_cannot_be_fitted_to_training(api: FakeApi) -> None:
    api.answers["GET /jobs/5"] = training("succeeded", 3)
    api.answers["GET /jobs/5/measurements"] = items()
    done = api.run("fit", "--job", "5")
    assert done.code == 2
    assert done.err.strip() == "--job 5: a job of kind training measures no rows; name a benchmark."
