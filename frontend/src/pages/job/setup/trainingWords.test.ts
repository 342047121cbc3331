import { describe, expect, it } from "vitest";
import { PLAIN_TRAINING } from "../../../testing/fixtures";
import { trainingItems } from "./trainingWords";

const named = (items: ReturnType<typeof trainingItems>) => Object.fromEntries(items);

describe("trainingItems", () => {
  it("says the plain options, and none of the finer ones", () => {
    const items = named(trainingItems(PLAIN_TRAINING));
    expect(items).toMatchObject({ Model: "mlp", Dataset: "digits", Buckets: "25 MiB", Optimizer: "sgd, learning rate 0.05" });
    for (const name of ["Servers", "Accumulation", "Compression", "Clipping", "Target", "Seed"]) expect(items).not.toHaveProperty(name);
  });

  it("says the finer options where they differ", () => {
    const items = named(
      trainingItems({
        ...PLAIN_TRAINING,
        strategy: "parameter_server",
        servers: 2,
        consistency: "ssp",
        staleness: 1,
        model_arguments: { hidden: 64 },
        dataset: { ...PLAIN_TRAINING.dataset, name: "cifar10", path: "/data" },
        overlap: false,
        compression: "top_k",
        clip_norm: 2,
        target_accuracy: 0.97,
        resume_from: 3,
      }),
    );
    expect(items).toMatchObject({
      Model: "mlp, hidden 64",
      Dataset: "cifar10, /data",
      Servers: "2 ranks, ssp, at most 1 step ahead",
      Buckets: "25 MiB, summed after backward",
      Compression: "top_k, 1 % of the gradient",
      Clipping: "global norm at most 2",
      Target: "97.0 % of held-out samples",
      "Resumed from": "job 3",
    });
  });

  it("says that divided layers sum activations", () => {
    expect(Object.fromEntries(trainingItems({ ...PLAIN_TRAINING, strategy: "tensor" }))).toMatchObject({ "Activations summed by": PLAIN_TRAINING.all_reduce });
  });

  it("says how a pipeline passes micro-batches", () => {
    const staged = { ...PLAIN_TRAINING, strategy: "pipeline" as const, stages: 3, schedule: "gpipe" as const };
    expect(Object.fromEntries(trainingItems(staged))).toMatchObject({ Pipeline: "3 stages, 4 micro-batches by gpipe" });
  });

  it("says how local_sgd averages", () => {
    const local = { ...PLAIN_TRAINING, strategy: "local_sgd" as const };
    const items = named(trainingItems(local));
    expect(items).toMatchObject({ Averages: "every 8 steps, weighted by samples", "Parameters averaged by": "auto" });
    for (const name of ["Gradients summed by", "Samples of a rank", "Outer step"]) expect(items).not.toHaveProperty(name);
    const federated = { ...local, sync_every: 1, split: "by_label" as const, weights: "equal" as const, outer_momentum: 0.9 };
    expect(named(trainingItems(federated))).toMatchObject({
      Averages: "every 1 step, all ranks weigh the same",
      "Samples of a rank": "only those of its labels",
      "Outer step": "learning rate 1, momentum 0.9",
    });
  });
});
