import { describe, expect, it } from "vitest";
import { aJob, anEngine } from "../../testing/fixtures";
import {
  collectiveOf, countRows, fromSpec, hiddenFields, STANDARD, SWEEP_FIELDS, sweepProblems, toSpec, withCollective, withTransport,
} from "./form";
import { unreadable } from "./fieldWords";
import { formChanges, formSearch, opened, withChanges } from "./formSearch";

describe("toSpec", () => {
  it("writes sizes in bytes and numbers as numbers", () => {
    const spec = toSpec({ ...STANDARD, min: "1K", max: "16 MiB", ranks: "4" });
    expect(spec.benchmark).toMatchObject({ min_bytes: 1024, max_bytes: 16_777_216, iterations: 20, check: true });
    expect(spec.placement).toEqual({ ranks: 4, quiet: false, preflight: false, nodes: null, ranks_per_node: null, selector: {} });
  });

  it("leaves text that is no number to the server", () => {
    const spec = toSpec({ ...STANDARD, min: "tiny", ranks: "", iterations: "-1", algorithms: "" });
    expect(spec.benchmark).toMatchObject({ min_bytes: "tiny", iterations: -1, algorithms: [] });
    expect(spec.placement.ranks).toBe("");
  });

  it("steps by bytes instead of by the factor where they are given", () => {
    expect(toSpec({ ...STANDARD, step: "1M" }).benchmark).toMatchObject({ step_bytes: 1_048_576, step_factor: null });
    expect(toSpec(STANDARD).benchmark).toMatchObject({ step_bytes: null, step_factor: 2 });
    const { spec } = aJob();
    const stepped = { ...spec, benchmark: { ...spec.benchmark, step_bytes: 64, step_factor: null, cycles: 2 } };
    expect(toSpec(fromSpec(stepped), stepped)).toEqual(stepped);
  });

  it("contains a preflight if it was asked for, and keeps its seconds", () => {
    expect(toSpec(STANDARD).placement.preflight).toBe(false);
    expect(toSpec({ ...STANDARD, preflight: "on" }).placement.preflight).toBe(true);
    const { spec } = aJob();
    const asked = { ...spec, placement: { ...spec.placement, preflight: 5 } };
    expect(toSpec(fromSpec(asked), asked)).toEqual(asked);
  });

  it("contains channels only if they were given, and not for a simulation", () => {
    expect(toSpec({ ...STANDARD, rails: "2" }).benchmark.channels).toBe(2);
    expect(toSpec(STANDARD).benchmark.channels).toBeUndefined();
    expect(toSpec({ ...STANDARD, rails: "2", transport: "simulated" }).benchmark.channels).toBeUndefined();
    const { spec } = aJob();
    const asked = { ...spec, benchmark: { ...spec.benchmark, channels: 4 } };
    expect(toSpec(fromSpec(asked), asked)).toEqual(asked);
    expect(toSpec({ ...fromSpec(asked), rails: "" }, asked).benchmark.channels).toBeUndefined();
  });

  it("contains what NCCL knows of the buffers, and nothing of it for a simulation", () => {
    expect(toSpec({ ...STANDARD, transport: "nccl", registration: "2" }).benchmark.registration).toBe(2);
    expect(toSpec({ ...STANDARD, registration: "2", transport: "simulated" }).benchmark.registration).toBe(0);
    const { spec } = aJob();
    const asked = { ...spec, benchmark: { ...spec.benchmark, registration: 1 } };
    expect(toSpec(fromSpec(asked), asked)).toEqual(asked);
    expect(toSpec({ ...fromSpec(asked), registration: "0" }, asked).benchmark.registration).toBe(0);
  });

  it("contains the ranks of each node only if they were given, and not for a simulation", () => {
    expect(toSpec({ ...STANDARD, perNode: "1" }).placement.ranks_per_node).toBe(1);
    expect(toSpec(STANDARD).placement.ranks_per_node).toBeNull();
    expect(toSpec({ ...STANDARD, perNode: "1", transport: "simulated" }).placement.ranks_per_node).toBeNull();
    const { spec } = aJob();
    const asked = { ...spec, placement: { ...spec.placement, ranks_per_node: 1 } };
    expect(toSpec(fromSpec(asked), asked)).toEqual(asked);
  });

  it("says how many nodes and which, and opens again with them", () => {
    const form = { ...STANDARD, nodes: "2", selector: " rack=3,zone = a=b, " };
    expect(toSpec(form).placement).toMatchObject({ nodes: 2, selector: { rack: "3", zone: "a=b" } });
    expect(fromSpec(toSpec(form))).toMatchObject({ nodes: "2", selector: "rack=3, zone=a=b" });
    expect(withChanges(STANDARD, formSearch(formChanges(form, STANDARD)))).toEqual(form);
    expect(toSpec({ ...form, transport: "simulated" }).placement).toMatchObject({ nodes: null, selector: { rack: "3" } });
  });

  it("takes the nodes of the earlier job for what the form says, and no commas for others", () => {
    const { spec } = aJob();
    const base = { ...spec, placement: { ...spec.placement, nodes: 2, selector: { team: "a, b" } } };
    expect(toSpec({ ...fromSpec(base), nodes: "", selector: "" }, base).placement).toMatchObject({ nodes: null, selector: {} });
    expect(toSpec(fromSpec(base), base)).toEqual(base);
  });

  it.each(["rack", "=3", "rack=3, zone"])("takes %s for no labels", (selector) => {
    expect(unreadable(SWEEP_FIELDS, { ...STANDARD, selector })).toEqual({
      selector: "Labels are written as rack=3, with commas between several.",
    });
  });

  it("gives back the specification that the form came from, also what the form does not show", () => {
    const { spec } = aJob();
    const full = { ...spec, labels: { team: "infra" }, placement: { ...spec.placement, nodes: 2, selector: { rack: "3" } } };
    expect(toSpec(fromSpec(full), full)).toEqual(full);
  });
});

describe("a simulation", () => {
  const engine = anEngine();

  it("is one process with the described cluster, and comes back", () => {
    const form = { ...STANDARD, transport: "simulated", algorithms: "ring", shape: "2x2x4", nics: "2", channels: "2", latency: "3", ranks: "7" };
    const spec = toSpec(form);
    expect(spec.placement.ranks).toBe(1);
    expect(spec.benchmark.topology).toEqual({
      shape: "2x2x4", link: "ib200", latency_us: 3, intra: "nvlink4", nics_per_node: 2, channels: 2, oversubscription: 1, reduce_gb_per_s: null,
    });
    expect(fromSpec(spec)).toEqual({ ...form, ranks: STANDARD.ranks });
    expect(toSpec(STANDARD).benchmark.topology).toBeNull();
  });

  it("has algorithms with a schedule only, also of another collective", () => {
    const form = withTransport(STANDARD, "simulated", engine);
    expect(form.algorithms).toBe("ring,direct");
    expect(withCollective(form, "alltoall", engine).algorithms).toBe("direct");
    expect(withTransport({ ...STANDARD, algorithms: "mpi" }, "simulated", engine).algorithms).toBe("ring,direct");
    expect(withTransport(STANDARD, "mpi", engine).algorithms).toBe(STANDARD.algorithms);
    expect(opened(STANDARD, { transport: "simulated" }, engine).algorithms).toBe("ring,direct");
  });

  it("shows the server's sentences at its fields", () => {
    const { fields } = sweepProblems(STANDARD, [{ pointer: "/benchmark/topology/shape", detail: "no shape" }]);
    expect(fields).toEqual({ shape: "No shape" });
  });
});

describe("the form in the URL", () => {
  it("holds only what differs, and comes back", () => {
    const form = { ...STANDARD, ranks: "8", max: "1 GiB" };
    const changes = formChanges(form, STANDARD);
    expect(changes).toEqual({ ranks: "8", max: "1 GiB" });
    expect(withChanges(STANDARD, formSearch(changes))).toEqual(form);
  });

  it("drops what is no field", () => expect(formSearch({ ranks: "2", evil: "x", from: "42" })).toEqual({ ranks: "2", from: "42" }));
});

describe("another collective", () => {
  const engine = anEngine();

  it("brings its usual algorithms where the usual were chosen, in both directions", () => {
    const there = withCollective(STANDARD, "broadcast", engine);
    expect(there).toEqual({ ...STANDARD, collective: "broadcast", algorithms: "ring,mpi" });
    expect(withCollective(there, "all_reduce", engine)).toEqual(STANDARD);
  });

  it("keeps what it has of a choice, and never leaves none", () => {
    const form = { ...STANDARD, algorithms: "direct,tree" };
    expect(withCollective(form, "broadcast", engine).algorithms).toBe("tree");
    expect(withCollective({ ...form, algorithms: "tree" }, "alltoall", engine).algorithms).toBe("direct,mpi");
  });

  it("forgets a root and an operation that mean nothing there", () => {
    const form = { ...STANDARD, collective: "broadcast", root: "3" };
    expect(withCollective(form, "broadcast", engine).root).toBe("3");
    expect(withCollective(form, "alltoall", engine).root).toBe("0");
    expect(withCollective({ ...STANDARD, op: "max" }, "broadcast", engine).op).toBe("sum");
  });

  it.each(["constructor", "toString"])("takes the word %s for none that the engine knows", (word) => {
    expect(withCollective(STANDARD, word, engine)).toEqual({ ...STANDARD, collective: word });
    expect(collectiveOf(engine, word)).toBeUndefined();
  });

  it("leaves a name that the engine does not know to the server", () => {
    expect(withCollective(STANDARD, "gossip", engine)).toEqual({ ...STANDARD, collective: "gossip" });
  });

  it("opens from a URL with fitting algorithms, or with those that it names", () => {
    expect(opened(STANDARD, { collective: "broadcast", root: "1" }, engine)).toMatchObject({ algorithms: "ring,mpi", root: "1" });
    expect(opened(STANDARD, { collective: "broadcast", algorithms: "direct" }, engine).algorithms).toBe("direct");
    expect(opened(STANDARD, { root: "9" }, engine)).toEqual(STANDARD);
  });
});

describe("the server's sentences", () => {
  it("stand at their fields", () => {
    const problems = [
      { pointer: "/benchmark/min_bytes", detail: "a" },
      { pointer: "/benchmark/algorithms/0", detail: "b" },
      { pointer: "/labels", detail: "c" },
    ];
    expect(sweepProblems(STANDARD, problems)).toEqual({ fields: { min: "A", algorithms: "B" }, other: ["C"] });
  });

  it("are about the algorithms if these need two devices and none was chosen", () => {
    const problems = [{ pointer: "/benchmark/device", detail: "benchmark.device: leave one out." }];
    expect(sweepProblems(STANDARD, problems).fields).toEqual({ algorithms: "Leave one out." });
    expect(sweepProblems({ ...STANDARD, device: "cpu" }, problems).fields).toEqual({ device: "Leave one out." });
  });

  it("have a field of the table for each field of the form", () => {
    expect(Object.keys(SWEEP_FIELDS).sort()).toEqual(Object.keys(STANDARD).sort());
    expect(hiddenFields({ ...STANDARD, transport: "simulated", step: "1K" })).toEqual(["ranks", "check", "device", "nodes", "perNode", "rails", "registration", "factor"]);
  });
});

describe("countRows", () => {
  it("multiplies sizes, algorithms and the two buffer uses", () => {
    expect(countRows({ ...STANDARD, min: "8", max: "64M" })).toEqual({ sizes: 24, algorithms: 3, cycles: 1, rows: 144 });
    const stepped = { ...STANDARD, min: "0", max: "4M", step: "1M", cycles: "3" };
    expect(countRows(stepped)).toEqual({ sizes: 5, algorithms: 3, cycles: 3, rows: 90 });
  });

  it.each([{ min: "x" }, { min: "64M", max: "8" }, { algorithms: "" }, { factor: "1" }])("is null for %j", (change) =>
    expect(countRows({ ...STANDARD, ...change })).toBeNull(),
  );
});
