import { describe, expect, it } from "vitest";
import { PLAIN_TRAINING, trainingChoices } from "../../testing/fixtures";
import { trainCommand } from "./trainCommand";

const { defaults, one_node: oneNode } = trainingChoices();
const training = PLAIN_TRAINING;

describe("trainCommand", () => {
  it("is short for the job that says nothing", () => {
    expect(trainCommand(defaults, defaults, oneNode)).toBe("ringscope train mlp");
    const unsaid = { ...defaults, placement: { ...defaults.placement, nodes: null } };
    expect(trainCommand(unsaid, defaults, oneNode)).toBe("ringscope train mlp");
  });

  it("says what differs: by flags in their order, then by --set", () => {
    const spec = {
      ...defaults,
      name: "my run",
      training: {
        ...training,
        strategy: "multi_worker_mirrored" as const,
        dataset: { ...training.dataset, name: "cifar10" as const, path: "/data/cifar" },
        model_arguments: { hidden: 64 },
        overlap: false,
        clip_norm: 1,
        epochs: 3,
      },
      placement: { ...defaults.placement, ranks: 8, nodes: null },
      labels: { team: "infra" },
      hang_seconds: 5,
    };
    expect(trainCommand(spec, defaults, oneNode)).toBe(
      "ringscope train mlp --dataset cifar10 --data-path /data/cifar --strategy multi_worker_mirrored --ranks 8 --epochs 3 " +
        "--name 'my run' --set hang_seconds=5 --label team=infra --set training.model_arguments.hidden=64 " +
        "--set training.overlap=false --set training.clip_norm=1",
    );
  });

  it("has the flags of the fields that belong to a strategy", () => {
    const own = { strategy: "local_sgd" as const, sync_every: 32, outer_momentum: 0.9 };
    expect(trainCommand({ ...defaults, training: { ...training, ...own } }, defaults, oneNode)).toBe(
      "ringscope train mlp --strategy local_sgd --sync-every 32 --nodes 1 --set training.outer_momentum=0.9",
    );
    const servers = { strategy: "parameter_server" as const, servers: 2, consistency: "ssp" as const, staleness: 4 };
    expect(trainCommand({ ...defaults, training: { ...training, ...servers } }, defaults, oneNode)).toBe(
      "ringscope train mlp --strategy parameter_server --servers 2 --consistency ssp --staleness 4 --nodes 1",
    );
  });

  it("names files of one's own with their functions", () => {
    const dataset = { ...training.dataset, name: "own" as const, file: "my_data.py", load: "pairs", workers: 2 };
    const own = { ...training, model: { file: "my_model.py", build: "make" }, dataset };
    expect(trainCommand({ ...defaults, training: own }, defaults, oneNode)).toBe(
      "ringscope train my_model.py:make --dataset my_data.py:pairs --set training.dataset.workers=2",
    );
  });

  it("has the flag of an elastic job", () => {
    const spec = { ...defaults, placement: { ...defaults.placement, ranks: 4, min_ranks: 2 } };
    expect(trainCommand(spec, defaults, oneNode)).toBe("ringscope train mlp --ranks 4 --min-ranks 2");
  });

  it("names the nodes of a strategy that takes several", () => {
    const spec = { ...defaults, training: { ...training, strategy: "torch_ddp" as const } };
    expect(trainCommand(spec, defaults, oneNode)).toBe("ringscope train mlp --strategy torch_ddp --nodes 1");
  });
});
