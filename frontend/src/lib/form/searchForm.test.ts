import { describe, expect, it } from "vitest";
import { searchChoices } from "../../testing/fixtures";
import { searchCommand } from "./searchCommand";
import { candidatesText, candidateWords, changedSearch, chosenCandidates, SEARCH_FIELDS, searchForm } from "./searchForm";
import { formToSpec } from "./specForm";

const { candidates, defaults } = searchChoices();
const standard = searchForm(defaults);

describe("the form of a strategy search", () => {
  it("says every field of the search, begins with the defaults and gives back its specification", () => {
    const pointers: string[] = Object.values(SEARCH_FIELDS).map(({ pointer }) => pointer);
    for (const name of Object.keys(defaults.strategy_search ?? {})) {
      expect(pointers.some((pointer) => pointer.startsWith(`/strategy_search/${name}`)), name).toBe(true);
    }
    expect(standard).toMatchObject({ model: "mlp", dataset: "digits", strategies: "all", budget: "300", limit: "1200", target_accuracy: "" });
    expect(formToSpec(SEARCH_FIELDS, standard, defaults)).toEqual(defaults);
  });

  it("moves the time limit with the budget, unless somebody has set it", () => {
    expect(changedSearch(standard, "budget", "60", standard)).toEqual({ budget: "60", limit: "720" });
    expect(changedSearch({ ...standard, limit: "5000" }, "budget", "60", standard)).toEqual({ budget: "60" });
    expect(changedSearch(standard, "budget", "soon", standard)).toEqual({ budget: "soon" });
  });

  it("drops what only the old model or dataset had a use for", () => {
    const own = { ...standard, dataset: "own", file: "my_data.py", model_arguments: "hidden=8" };
    expect(changedSearch(own, "dataset", "digits", standard)).toMatchObject({ dataset: "digits", file: "", reader: "load" });
    expect(changedSearch(own, "model", "gpt", standard)).toEqual({ model: "gpt", model_arguments: "" });
    expect(changedSearch(own, "seed", "7", standard)).toEqual({ seed: "7" });
  });
});

describe("candidates", () => {
  it("are named by themselves, by their strategy, or all", () => {
    expect(chosenCandidates("all", candidates)).toEqual(["mirrored-auto", "mirrored-ring", "torch_ddp"]);
    expect(chosenCandidates("mirrored", candidates)).toEqual(["mirrored-auto", "mirrored-ring"]);
    expect(chosenCandidates("torch_ddp,mirrored-ring,unknown", candidates)).toEqual(["mirrored-ring", "torch_ddp"]);
    expect(chosenCandidates("", candidates)).toEqual([]);
  });

  it("have the shortest text that names them", () => {
    expect(candidatesText(["torch_ddp", "mirrored-ring", "mirrored-auto"], candidates)).toBe("all");
    expect(candidatesText(["torch_ddp", "mirrored-ring"], candidates)).toBe("mirrored-ring,torch_ddp");
  });

  it("say in which fields they differ from the defaults", () => {
    expect(candidates.map(candidateWords)).toEqual(["mirrored", "mirrored, all_reduce ring", "torch_ddp"]);
  });
});

it("is the same search as a command, which names the ranks in any case", () => {
  expect(searchCommand(defaults, defaults)).toBe("ringscope search-strategies mlp --ranks 2");
  const form = { ...standard, model: "my_model.py:make", dataset: "own", file: "my_data.py", strategies: "mirrored,torch_ddp", target_accuracy: "0.9", seed: "3" };
  expect(searchCommand(formToSpec(SEARCH_FIELDS, form, defaults), defaults)).toBe(
    "ringscope search-strategies my_model.py:make --dataset my_data.py:load --ranks 2 --strategies mirrored,torch_ddp --target-accuracy 0.9 --set strategy_search.seed=3",
  );
});
