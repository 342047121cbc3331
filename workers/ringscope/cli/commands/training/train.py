"""`ringscope train`: submit a training job."""

from typing import Annotated, get_args

import typer

from ringscope.cli.job_body import job_body, own_function, patch_of
from ringscope.cli.option_groups import unfolded
from ringscope.cli.submission import JobOptions, Submission
from ringscope.contracts.errors import UserError
from ringscope.contracts.merge_patch import merge_patch
from ringscope.contracts.training import (
    STRATEGIES,
    Consistency,
    DatasetName,
    ModelName,
    Optimizer,
    PipelineSchedule,
    Precision,
)


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command()(unfolded(train))


def train(
    context: typer.Context,
    model: Annotated[str | None, typer.Argument(help=f"{', '.join(get_args(ModelName))}, or FILE.py:FUNCTION.")] = None,
    own_model: Annotated[
        str | None, typer.Option("--model", metavar="FILE:FUNCTION", help="The model, instead of the argument.")
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help=f"{', '.join(get_args(DatasetName)[:-1])}, or FILE.py:FUNCTION; default: digits.")
    ] = None,
    data_path: Annotated[str | None, typer.Option(help="Folder of cifar10 or text, on every node.")] = None,
    strategy: Annotated[str | None, typer.Option(help=f"{', '.join(STRATEGIES)}; default: mirrored.")] = None,
    all_reduce: Annotated[str | None, typer.Option(help="How gradients are summed: ring, direct, auto, …")] = None,
    servers: Annotated[int | None, typer.Option(help="Number of ranks that are parameter servers.")] = None,
    consistency: Annotated[
        str | None, typer.Option(help=f"Consistency of parameter_server: {', '.join(get_args(Consistency))}.")
    ] = None,
    staleness: Annotated[int | None, typer.Option(help="Steps that a worker may be ahead with ssp.")] = None,
    sync_every: Annotated[
        int | None, typer.Option(help="Steps of each rank between two averages of local_sgd; default: 8.")
    ] = None,
    stages: Annotated[int | None, typer.Option(help="Ranks of a pipeline that share the layers; default: 2.")] = None,
    micro_batches: Annotated[
        int | None, typer.Option(help="Parts of a batch that pass through a pipeline; default: 4.")
    ] = None,
    schedule: Annotated[
        str | None, typer.Option(help=f"Order of a pipeline: {', '.join(get_args(PipelineSchedule))}; default: 1f1b.")
    ] = None,
    device: Annotated[str | None, typer.Option(help="auto, cpu or cuda.")] = None,
    ranks: Annotated[int | None, typer.Option(help="Processes in the gang.")] = None,
    min_ranks: Annotated[
        int | None,
        typer.Option(help="Fewest ranks of an elastic job, which continues with those that are left."),
    ] = None,
    epochs: Annotated[int | None, typer.Option(help="Number of passes over the samples.")] = None,
    batch_size: Annotated[int | None, typer.Option(help="Samples in a step, over all ranks.")] = None,
    learning_rate: Annotated[float | None, typer.Option(help="Learning rate of the optimizer.")] = None,
    optimizer: Annotated[str | None, typer.Option(help=f"{', '.join(get_args(Optimizer))}.")] = None,
    precision: Annotated[str | None, typer.Option(help=f"{', '.join(get_args(Precision))}.")] = None,
    compiled: Annotated[
        bool | None, typer.Option("--compile", help="Compile forward and backward with torch.compile.")
    ] = None,
    target_accuracy: Annotated[
        float | None, typer.Option(help="Target accuracy, 0 to 1; the job records when it is reached.")
    ] = None,
    resume_from: Annotated[
        int | None, typer.Option(help="Number of a job whose checkpoint the training starts from.")
    ] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=VALUE",
            help="Any other field: training.clip_norm=1, training.model_arguments.hidden=64.",
        ),
    ] = None,
    options: JobOptions = JobOptions(),
    submission: Submission = Submission(),
) -> None:
    """Submit a training job.

    With --wait each epoch is printed as it ends. With --wait or --follow the exit code is the outcome: 0 succeeded, 1
    failed, 3 cancelled. 2 is bad input, or a server that does not answer.
    """
    flags = options.flags() | {
        ("kind",): "training",
        ("training", "model"): _model(model, own_model),
        **dataset_fields(dataset, ("training", "dataset")),
        ("training", "dataset", "path"): data_path,
        ("training", "strategy"): strategy,
        ("training", "all_reduce"): all_reduce,
        ("training", "servers"): servers,
        ("training", "consistency"): consistency,
        ("training", "staleness"): staleness,
        ("training", "sync_every"): sync_every,
        ("training", "stages"): stages,
        ("training", "micro_batches"): micro_batches,
        ("training", "schedule"): schedule,
        ("training", "device"): device,
        ("placement", "ranks"): ranks,
        ("placement", "min_ranks"): min_ranks,
        ("training", "epochs"): epochs,
        ("training", "global_batch_size"): batch_size,
        ("training", "learning_rate"): learning_rate,
        ("training", "optimizer"): optimizer,
        ("training", "precision"): precision,
        ("training", "compile"): compiled,
        ("training", "target_accuracy"): target_accuracy,
        ("training", "resume_from"): resume_from,
    }
    body = merge_patch(job_body({}, flags), patch_of(assignments))
    submission.send(context, body)


def _model(argument: str | None, option: str | None) -> str | dict[str, str]:
    """Return the job's model, a name or a function in a file; UserError unless it is given once."""
    if (argument is None) == (option is None):
        raise UserError("MODEL: name the model once, as the argument or with --model.")
    return model_field(argument or option or "")


def model_field(given: str) -> str | dict[str, str]:
    """Return the value of the field model: a name or a function in a file."""
    return own_function(given, "build") or given


def dataset_fields(given: str | None, path: tuple[str, ...]) -> dict[tuple[str, ...], str]:
    """Return the fields of the dataset at ``path``, which is a name or a function in a file."""
    if own := own_function(given or "", "load"):
        return {(*path, field): value for field, value in own.items()}
    return {(*path, "name"): given} if given else {}
