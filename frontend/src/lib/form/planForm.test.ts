import { describe, expect, it } from "vitest";
import pageCommands from "../pageCommands.json";
import { PLAN_PRESETS, planCommand, planForm, planProblems, planQuestion, planSearch, STANDARD_PLAN } from "./planForm";
import { parseSearch, stringifySearch } from "../search/search";

describe("the planner's URL", () => {
  it("is empty for the defaults, and keeps every change", () => {
    expect(planSearch({ ...STANDARD_PLAN, metric: "time", view: "charts" })).toEqual({});
    const search = { n: "4x8", alpha: "4us", B: "180GB/s", S: "1.2GB", fit: "42", metric: "busbw", view: "table" } as const;
    expect(planSearch(parseSearch(stringifySearch(search)))).toEqual(search);
  });

  it("takes a plain B as GB/s and drops what it does not know", () => {
    expect(planSearch({ B: "180", n: 16, fit: "0", metric: "speed", colour: "red" })).toEqual({ B: "180GB/s", n: "16" });
  });

  it("compares with NCCL's model on nodes of GPUs that it knows", () => {
    const usual = (search: Parameters<typeof planForm>[0]) => planForm(search).algorithms;
    expect(usual({ n: "4x8" })).toBe(`${STANDARD_PLAN.algorithms},nccl`);
    expect(usual({ n: "2x4x8", intra: "nvlink" })).toBe(`${STANDARD_PLAN.algorithms},nccl`);
    const others = [{ n: "8" }, { n: "8x1" }, { n: "4x8", intra: "450GB/s" }, { n: "4x8", fit: "7" }, { n: "4x8", collective: "broadcast" }];
    for (const search of others) expect(usual(search)).toBe(STANDARD_PLAN.algorithms);
  });

  it("leaves NCCL's model out once it was removed", () => {
    expect(planSearch({ n: "4x8", algorithms: STANDARD_PLAN.algorithms })).toEqual({ n: "4x8", algorithms: STANDARD_PLAN.algorithms });
    expect(planSearch({ n: "4x8", algorithms: `${STANDARD_PLAN.algorithms},nccl` })).toEqual({ n: "4x8" });
  });

  it("fills in the standard", () => expect(planForm({ n: "16" })).toEqual({ ...STANDARD_PLAN, n: "16" }));
});

describe("planQuestion", () => {
  it("asks in the server's words and units", () => {
    expect(planQuestion(planForm({ n: "10", B: "1GB/s", S: "1.2GB", alpha: "5ms", gamma: "20GB/s", algorithms: "ring,naive" }))).toEqual({
      collective: "all_reduce",
      algorithms: ["ring", "naive"],
      sizes_bytes: [1_200_000_000],
      cluster: {
        shape: "10", link: "1GB/s", latency_us: 5000, intra: "nvlink4", nics_per_node: null, channels: null, oversubscription: 1, reduce_gb_per_s: 20,
      },
      servers: 1,
      typed_size: "1.2GB",
      shapes: [],
      parameters: [],
    });
  });

  it("leaves what cannot be read to the server", () => {
    const question = planQuestion(planForm({ n: "4x8", S: "much", alpha: "soon", gamma: "fast", nics: "two" }));
    expect(question.sizes_bytes).toEqual(["much"]);
    expect(question.cluster).toMatchObject({ latency_us: "soon", reduce_gb_per_s: "fast", nics_per_node: "two" });
  });
});

it("puts each sentence beside its field", () => {
  const problems = [
    { pointer: "/cluster/shape", detail: "cluster.shape: 'x' is no shape" }, { pointer: "/algorithms/1", detail: "algorithms[1]: unknown" },
    { pointer: "/algorithms", detail: "too many" }, { pointer: "/shapes/3", detail: "else" },
  ];
  expect(planProblems(STANDARD_PLAN, problems)).toEqual({ n: "'x' is no shape", algorithms: "Unknown Too many" });
});

it("says in its own words what cannot be read", () => {
  const typed = { n: " ", S: "abc", alpha: "soon", gamma: "fast", nics: "two" };
  const refused = [{ pointer: "/sizes_bytes/0", detail: "sizes_bytes[0]: input should be a valid integer; got 'abc'" }];
  expect(planProblems({ ...STANDARD_PLAN, ...typed }, refused)).toEqual({
    n: "Write how many ranks, or a shape: 16, 4x8 or 2x4x8.",
    S: "This is no size; write it as 8, 64K, 16 MiB or 16 MB.",
    alpha: "This is no time; write it as 5us or 2ms.",
    gamma: "This is no rate; write it as 50GB/s.",
    nics: "A whole number is needed, and this is “two”.",
  });
});

it("asks for nothing that has no place on the page", () => {
  const typed = { nics: "two", intra: "soon", servers: "two", algorithms: "ring" };
  expect(planForm(typed)).toEqual({ ...STANDARD_PLAN, algorithms: "ring" });
  expect(planForm({ ...typed, n: "4x8", algorithms: "parameter_server" })).toMatchObject({ nics: "two", intra: "soon", servers: "two" });
  expect(planForm({ fit: "7", n: "4x8", B: "?", alpha: "?", gamma: "?", intra: "?" })).toEqual({ ...STANDARD_PLAN, n: "4x8" });
});

describe("planCommand", () => {
  it("is the lecture's", () => {
    expect(planCommand(planForm(PLAN_PRESETS[0]?.search ?? {}), "http://h:1")).toBe(
      "ringscope plan --algorithm gather,naive,separate_servers,ring --ranks 10 --bytes 1.2GB --link 1GB/s --servers 10",
    );
  });

  it("names nodes, and takes the parameters of a fit instead of links", () => {
    const form = planForm({ n: "4x8", alpha: "4us", gamma: "50", nics: "2", channels: "1", algorithms: "ring" });
    expect(planCommand(form, "http://h:1")).toBe(
      "ringscope plan --algorithm ring --topology 4x8 --bytes 64MiB --link ib200 --latency 4us --intra nvlink4 --nics 2 --channels 1 --gamma 50GB/s",
    );
    expect(planCommand(form, "http://h:1", "7", "/v/ringscope")).toMatch(/^\/v\/ringscope fit .* && \/v\/ringscope plan /);
    expect(planCommand(form, "http://h:1", "7")).toBe(
      `${pageCommands.fit} --url http://h:1 > fit.json && ringscope plan --algorithm ring --topology 4x8 --bytes 64MiB --fit fit.json --intra nvlink4 --nics 2 --channels 1`,
    );
  });
});
