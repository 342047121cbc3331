import { describe, expect, it } from "vitest";
import { aTraining, PLAIN_TRAINING, trainingChoices } from "../../testing/fixtures";
import { formChanges, formSearch, kindOf, withChanges, withKind } from "./formSearch";
import { emptyScript, SCRIPT_FIELDS } from "./scriptForm";
import { argumentsOf, formToSpec, problemsAt, specToForm, valueAt, withArgument } from "./specForm";
import { changedTraining, isTold, isUsed, standardTraining, TRAINING_FIELDS, trainingForm } from "./trainingForm";

const choices = trainingChoices();
const { defaults } = choices;
const standard = standardTraining(choices);

describe("the form of training", () => {
  it("says every field of training, and begins with the defaults", () => {
    const pointers: string[] = Object.values(TRAINING_FIELDS).map(({ pointer }) => pointer);
    for (const name of Object.keys(PLAIN_TRAINING)) {
      expect(pointers.some((pointer) => pointer.startsWith(`/training/${name}`)), name).toBe(true);
    }
    expect(standard).toMatchObject({ model: "mlp", dataset: "digits", bucket_bytes: "25 MiB", overlap: "on", path: "", nodes: "" });
  });

  it("gives back the specification that it came from, also what it does not show", () => {
    const training = {
      ...PLAIN_TRAINING,
      strategy: "multi_worker_mirrored" as const,
      model_arguments: { hidden: 64 },
      dataset: { ...PLAIN_TRAINING.dataset, name: "synthetic" as const, samples: 512, validation_percent: 10 },
      overlap: false,
      clip_norm: 1.5,
    };
    const placement = { ...defaults.placement, nodes: 2, selector: { rack: "3" } };
    const spec = { ...defaults, training, placement, labels: { team: "infra" } };
    expect(formToSpec(TRAINING_FIELDS, trainingForm(spec, choices.one_node), spec)).toEqual(spec);
    const odd = { ...spec, placement: { ...placement, selector: { team: "a, b" } } };
    expect(formToSpec(TRAINING_FIELDS, trainingForm(odd, choices.one_node), odd)).toEqual(odd);
  });

  it("gives back a model and a dataset in files of one's own", () => {
    const dataset = { ...PLAIN_TRAINING.dataset, name: "own" as const, file: "my_data.py", workers: 2 };
    const training = { ...PLAIN_TRAINING, model: { file: "my_model.py", build: "make" }, model_arguments: { width: 8 }, dataset };
    const spec = { ...defaults, training };
    const form = trainingForm(spec, choices.one_node);
    expect(form).toMatchObject({ model: "my_model.py:make", dataset: "own", file: "my_data.py", reader: "load", workers: "2" });
    expect(formToSpec(TRAINING_FIELDS, form, spec)).toEqual({ ...spec, placement: { ...spec.placement, nodes: null } });
    expect(changedTraining(form, "model", "my_model.py:", choices)).toEqual({ model: "my_model.py:", model_arguments: "width=8" });
    expect(changedTraining(form, "dataset", "digits", choices)).toMatchObject({ dataset: "digits", file: "", workers: "0" });
  });

  it("writes numbers, sizes and nothing; text that is no number is left to the server", () => {
    const form = { ...standard, bucket_bytes: "1M", clip_norm: "", epochs: "many", model_arguments: "hidden=64,layers=x", path: "/data" };
    expect(formToSpec(TRAINING_FIELDS, form, defaults).training).toMatchObject({
      bucket_bytes: 1_048_576, clip_norm: null, epochs: "many", model_arguments: { hidden: 64, layers: "x" }, dataset: { path: "/data" },
    });
    expect(valueAt(defaults, "/training/model_arguments")).toEqual({});
  });

  it("asks for nodes by their labels, as that of a script does", () => {
    expect(formToSpec(TRAINING_FIELDS, { ...standard, selector: "rack=3, zone=a" }, defaults).placement.selector).toEqual({ rack: "3", zone: "a" });
    const plain = emptyScript(defaults);
    const script = { ...specToForm(SCRIPT_FIELDS, plain), selector: "rack=3" };
    expect(formToSpec(SCRIPT_FIELDS, script, plain).placement.selector).toEqual({ rack: "3" });
  });

  it("does not say that a strategy stays on its one node", () => {
    expect(trainingForm(defaults, choices.one_node).nodes).toBe("");
    expect(trainingForm(defaults, []).nodes).toBe("1");
  });

  it("drops what only the old choice had a use for", () => {
    const servers = { ...standard, strategy: "parameter_server", servers: "2", consistency: "ssp", staleness: "3" };
    expect({ ...servers, ...changedTraining(servers, "strategy", "mirrored", choices) }).toEqual(standard);
    const local = { ...standard, strategy: "local_sgd", sync_every: "32", split: "by_label" };
    expect({ ...local, ...changedTraining(local, "strategy", "parameter_server", choices) }).toEqual({
      ...standard, strategy: "parameter_server",
    });
    const compressed = { ...standard, compression: "fp16", epochs: "3" };
    expect({ ...compressed, ...changedTraining(compressed, "strategy", "local_sgd", choices) }).toEqual({
      ...standard, strategy: "local_sgd", epochs: "3",
    });
    expect(changedTraining(servers, "consistency", "async", choices)).toEqual({ consistency: "async", staleness: "" });
    expect(changedTraining({ ...standard, path: "/d" }, "dataset", "digits", choices)).toMatchObject({ dataset: "digits", path: "", samples: "" });
    expect(changedTraining({ ...standard, model_arguments: "hidden=1" }, "model", "gpt", choices).model_arguments).toBe("");
    expect(changedTraining(standard, "epochs", "3", choices)).toEqual({ epochs: "3" });
  });

  it("knows which fields a strategy uses", () => {
    const used = (strategy: string) => (["servers", "sync_every", "compression", "min_ranks", "epochs"] as const).filter((name) => isUsed(name, strategy, choices));
    expect(used("mirrored")).toEqual(["compression", "min_ranks", "epochs"]);
    expect(used("parameter_server")).toEqual(["servers", "epochs"]);
    expect(used("local_sgd")).toEqual(["sync_every", "epochs"]);
  });

  it("shows a folded group when one of its fields differs or was refused", () => {
    const fields = ["servers", "staleness"] as const;
    expect(isTold(fields, standard, standard, {})).toBe(false);
    expect(isTold(fields, { ...standard, servers: "2" }, standard, {})).toBe(true);
    expect(isTold(fields, standard, standard, { staleness: "no bound" })).toBe(true);
  });
});

describe("the server's sentences", () => {
  it("stand at their fields, also at an argument of the model", () => {
    const { fields, other } = problemsAt(TRAINING_FIELDS, [
      { pointer: "/training/dataset/path", detail: "name it" },
      { pointer: "/training/model_arguments/heads", detail: "no divisor" },
      { pointer: "/training/epochs", detail: "a" },
      { pointer: "/training/epochs", detail: "b" },
      { pointer: "/hold", detail: "elsewhere" },
    ]);
    expect(fields).toEqual({ path: "Name it", "model_arguments.heads": "No divisor", epochs: "A B" });
    expect(other).toEqual(["Elsewhere"]);
  });
});

describe("the arguments of a model", () => {
  it("are set and left out one by one", () => {
    expect(withArgument("", "hidden", "64")).toBe("hidden=64");
    expect(withArgument("hidden=64,layers=2", "hidden", "8")).toBe("layers=2,hidden=8");
    expect(withArgument("hidden=64,layers=2", "hidden", " ")).toBe("layers=2");
    expect(argumentsOf("hidden=64,layers=x")).toEqual({ hidden: 64, layers: "x" });
  });
});

describe("a script", () => {
  it("has a file and one argument a line, and comes back", () => {
    const plain = emptyScript(defaults);
    const form = { ...specToForm(SCRIPT_FIELDS, plain), file: "a/b.py", arguments: "--name\ntwo words\n" };
    const spec = formToSpec(SCRIPT_FIELDS, form, plain);
    expect(spec).toMatchObject({ kind: "script", training: null, script: { file: "a/b.py", arguments: ["--name", "two words"] } });
    expect(specToForm(SCRIPT_FIELDS, spec).arguments).toBe("--name\ntwo words");
  });
});

describe("the URL", () => {
  it("holds what differs, of any kind of job", () => {
    const search = formSearch({ kind: "training", epochs: "3", nonsense: "1", ranks: "4", from: "2", seed: 7 });
    expect(search).toEqual({ kind: "training", epochs: "3", ranks: "4", from: "2" });
    expect(kindOf(search)).toBe("training");
    expect(kindOf({ kind: "bakery" })).toBe("benchmark");
    const form = withChanges(standard, search);
    expect(formChanges(form, standard)).toEqual({ epochs: "3", ranks: "4" });
    expect(withKind(search, "script")).toEqual({ kind: "script", ranks: "4" });
    expect(withKind(search, "benchmark")).toEqual({ ranks: "4" });
  });

  it("fills the form of Run again", () => {
    const { spec } = aTraining();
    expect(trainingForm(spec, choices.one_node)).toMatchObject({ name: "digits", ranks: "4" });
  });
});
