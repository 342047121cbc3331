import { describe, expect, it } from "vitest";
import type { JobView } from "../../api/types";
import { basisOf, caveats, listCaveats } from "./caveats";
import { aJob, anAttempt, aSimulation, aTraining } from "../../testing/fixtures";

function measuredBy(ranks: number, cores: number | null, disturbedBy: string | null = null): JobView {
  const summary = { kind: "benchmark" as const, best: [], sizes: [], ranks, cores, wrong: 0, winners: [], results: [], same_messages: [], verdict: "", explanation: "" };
  return aJob({ summary, attempts: [anAttempt({ disturbed_by: "of an earlier try" }), anAttempt({ disturbed_by: disturbedBy })] });
}

describe("caveats", () => {
  it("include ranks that shared cores", () => {
    expect(caveats(measuredBy(4, 2)).map(({ word }) => word)).toEqual(["4 ranks on 2 cores"]);
    expect(caveats(measuredBy(2, 1)).map(({ word }) => word)).toEqual(["2 ranks on 1 core"]);
    for (const cores of [4, null]) expect(caveats(measuredBy(4, cores))).toEqual([]);
  });

  it("include other load on the nodes of the last attempt", () => {
    const [only] = caveats(measuredBy(2, 2, "It shared node n1 with job 7."));
    expect(only).toEqual({ word: "disturbed", why: "It shared node n1 with job 7. It comes after undisturbed jobs and counts less in baselines." });
  });

  it("say which sizes had no room in memory", () => {
    const job = aJob();
    const lowered = { ...job, summary: { ...job.summary, lowered_max_bytes: 4096 } as typeof job.summary };
    expect(caveats(lowered)).toEqual([{ word: "up to 4 KiB", why: "Sizes above 4 KiB were left out: their buffers do not fit into memory." }]);
  });

  it("include channels that the job asked for", () => {
    const { spec } = aJob();
    const asked = { ...measuredBy(2, 2), spec: { ...spec, benchmark: { ...spec.benchmark, channels: 2 } } };
    expect(caveats(asked)).toEqual([{ word: "2 channels", why: "It asked for 2 channels of rings and trees. It is not comparable with jobs in the default mode." }]);
  });

  it("include every other mode", () => {
    const { spec } = aJob();
    const mode = { aggregate: 5, blocking: 1, registration: 2, cuda_graph_launches: 3, average: "min" as const, rotate: true };
    const asked = { ...measuredBy(2, 2), spec: { ...spec, benchmark: { ...spec.benchmark, ...mode } } };
    expect(caveats(asked).map(({ word }) => word)).toEqual(["aggregate 5", "blocking 1", "registration 2", "graph launches 3", "average min", "rotate"]);
    expect(caveats(asked)[1]?.why).toContain("It asked to wait for each operation, after which all ranks meet.");
    expect(caveats(asked)[0]?.why).toBe("It asked for 5 operations in each iteration. It is not comparable with jobs in the default mode.");
  });

  it("are the same for training, whose results cover all attempts, once it has made a step", () => {
    const attempts = [anAttempt({ disturbed_by: "It shared node n1 with job 7." }), anAttempt({ disturbed_by: null })];
    const { summary, ...job } = aTraining({ attempts });
    const crowded = { ...job, summary: { ...summary, ranks: 4, cores: 2 } as typeof summary };
    const words = ["4 ranks on 2 cores", "disturbed"];
    expect(caveats(crowded).map(({ word }) => word)).toEqual(words);
    expect(listCaveats(crowded, null).map(({ word }) => word)).toEqual(words);
    expect(caveats(crowded)[1]?.why).toBe("It shared node n1 with job 7. It comes after undisturbed jobs and counts less in baselines.");
    expect(caveats({ ...crowded, progress: { done: 0, total: null } })).toEqual([]);
  });
});

it("give a file the basis of its rows", () => {
  expect(basisOf(measuredBy(4, 2))).toEqual({ basis: "measured", caveats: "4 ranks on 2 cores: The ranks shared these cores, which is part of every time." });
  expect(basisOf(aJob({ spec: aSimulation() })).basis).toBe("simulated");
  expect(basisOf(aJob(), "simulated").basis).toBe("simulated");
});
