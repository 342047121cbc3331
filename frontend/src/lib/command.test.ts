import { describe, expect, it } from "vitest";
import type { JobSpec } from "../api/types";
import { atServer, fittedTo, postCommand, submitCommand } from "./command";
import examples from "./commands.json";
import { aJob, anEngine, aSimulation, aTraining, CLUSTER } from "../testing/fixtures";
import { shellQuote } from "./shell";

const { spec } = aJob();

describe("atServer", () => {
  const program = "RINGSCOPE_DATA_DIR='/srv/my rs' /opt/$&/ringscope";

  it("begins with the program that the server names", () => {
    expect(atServer("ringscope jobs", "http://h:1", program)).toBe(`${program} jobs --url http://h:1`);
    expect(atServer("ringscope jobs", "http://h:1", null)).toBe("ringscope jobs --url http://h:1");
  });

  it("has it behind the pipe, and nowhere in what goes through the pipe", () => {
    expect(atServer(`echo '{"name":"a | ringscope b"}' | ringscope submit -`, "http://h:1", program)).toBe(
      `echo '{"name":"a | ringscope b"}' | ${program} submit - --url http://h:1`,
    );
    expect(atServer("ringscope submit --name 'a | ringscope b'", "http://h:1", program)).toBe(
      `${program} submit --name 'a | ringscope b' --url http://h:1`,
    );
  });
});

it("proposes no more ranks than there are slots", () => {
  const command = "ringscope submit --ranks 3 --trace";
  expect([0, 2, 3, 8].map((slots) => fittedTo(slots, command))).toEqual([command, "ringscope submit --ranks 2 --trace", command, command]);
});

describe("submitCommand", () => {
  it("uses nccl-tests' letters and sizes", () => {
    expect(submitCommand(spec)).toBe(
      "ringscope submit --name sweep --ranks 4 --algorithm ring,mpi -b 8 -e 64M -f 2 -n 20 -w 5 -c 1 -d float32",
    );
  });

  it("leaves out what a form does not say", () => {
    const form = { ...spec, hang_seconds: undefined } as unknown as typeof spec;
    expect(submitCommand(form)).not.toContain("undefined");
  });

  it("names the collective and its root, as submit reads them", () => {
    const benchmark = { ...spec.benchmark, collective: "broadcast" as const, dtype: "int32" as const, root: 3 };
    const text = submitCommand({ ...spec, benchmark });
    expect(text).toContain("--ranks 4 --collective broadcast --algorithm ring,mpi");
    expect(text).toMatch(/ -d int32 -r 3$/);
  });

  it("says where other jobs may run on the same nodes", () => {
    const shared = { ...spec, placement: { ...spec.placement, exclusive: false } };
    expect(submitCommand(shared)).toContain("--ranks 4 --shared --algorithm");
    const unsaid = { ...spec.placement, exclusive: undefined } as unknown as typeof spec.placement; // as a form has it
    expect(submitCommand({ ...spec, placement: unsaid })).not.toContain("--shared");
  });

  it("hands over the specification of what has no flags", () => {
    const script = { ...aTraining().spec, name: "ada's", training: null, script: { file: "a.py", arguments: [], as_module: false, no_watch: false, device: "auto" as const } };
    const [, json] = /^echo '(.*)' \| ringscope submit -$/.exec(submitCommand(script, anEngine())) ?? [];
    expect(JSON.parse((json ?? "").replaceAll(`'\\''`, "'"))).toEqual(script);
  });

  it("trains by ringscope train", () => {
    expect(submitCommand(aTraining().spec, anEngine())).toBe("ringscope train mlp --ranks 4 --name digits");
  });

  it("describes the cluster of a simulation, whose ranks are not processes", () => {
    const simulation = aSimulation();
    expect(submitCommand(simulation)).toContain("--transport simulated --topology 4x8 --link ib200 --intra nvlink4 -b 8");
    expect(submitCommand(simulation)).not.toContain("--ranks");
    const topology = { ...CLUSTER, shape: "2x2x4", latency_us: 3, nics_per_node: 2, channels: 2, oversubscription: 4, reduce_gb_per_s: 20 };
    const text = submitCommand({ ...simulation, benchmark: { ...simulation.benchmark, topology } });
    expect(text).toContain("--latency 3us --intra nvlink4 --nics 2 --channels 2 --oversubscription 4 --gamma 20GB/s");
  });

  it("says all that differs from the defaults, quoted for a shell", () => {
    const placement = { ...spec.placement, nodes: 2, ranks_per_node: 2, selector: { rack: "3" } };
    const text = submitCommand({ ...spec, name: "it's on", placement, priority: 80, labels: { team: "infra" } });
    expect(text).toContain(`--name 'it'\\''s on'`);
    expect(text).toContain("--nodes 2 --ranks-per-node 2");
    expect(text).toMatch(/--priority 80 --label team=infra --selector rack=3$/);
  });
});

it("quotes only what a shell would change", () => {
  expect(["plain-1.2/x", "two words", "$HOME", ""].map(shellQuote)).toEqual(["plain-1.2/x", "'two words'", "'$HOME'", "''"]);
});

it("writes the whole specification for curl", () => {
  const text = postCommand("/jobs", spec, "http://h:1");
  expect(text).toMatch(/^curl -X POST http:\/\/h:1\/api\/v1\/jobs \\\n/);
  const body = /-d '(.*)'$/.exec(text)?.[1];
  expect(JSON.parse(body ?? "")).toEqual(spec);
});

describe("what is copied", () => {
  // tests/cli/jobs/test_copied_commands.py parses these lines as a terminal would, and compares the specifications.
  it.each(examples.map(({ command, spec }) => [command, spec] as const))("says the whole job: %s", (command, spec) => {
    expect(atServer(submitCommand(spec as unknown as JobSpec, anEngine()), "http://h:1")).toBe(command);
  });
});
