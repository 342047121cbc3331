"""Sizes of a pipeline: how many layers a model can be cut into, and the parts that its ranks need. Pure."""

from typing import Literal

PipelineSchedule = Literal["gpipe", "1f1b", "interleaved"]

# Layers that resnet18 and cnn have for any arguments; a test holds these numbers against the models.
_CNN_LAYERS, _RESNET18_LAYERS = 3, 10


def layer_count(model: str, sizes: dict[str, int]) -> int:
    """Return the number of layers with parameters, between which a pipeline can cut the model."""
    match model:
        case "mlp":
            return sizes["layers"] + 1
        case "gpt":
            return sizes["layers"] + 2
        case "cnn":
            return _CNN_LAYERS
        case _:
            return _RESNET18_LAYERS


def parts_per_rank(schedule: PipelineSchedule) -> int:
    """Return how many parts of the model each rank of a pipeline computes."""
    return 2 if schedule == "interleaved" else 1


def ideal_bubble(schedule: PipelineSchedule, stages: int, micro_batches: int) -> float:
    """Return the share of a step in which a rank is idle, if all parts take the same time and sending takes none.

    Sources: Y. Huang et al., GPipe, 2019; D. Narayanan et al., Efficient Large-Scale Language Model Training on GPU
    Clusters, 2021.
    """
    idle = (stages - 1) / parts_per_rank(schedule)
    return idle / (micro_batches + idle)
