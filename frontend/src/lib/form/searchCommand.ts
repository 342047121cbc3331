/** `ringscope search-strategies …` for a specification: only what differs from the default search. */
import type { JobSpec } from "../../api/types";
import { datasetText, modelText } from "../model";
import { shellQuote } from "../shell";
import { type CommandFields, flagWords } from "./trainCommand";

const FIELDS: CommandFields = {
  flags: {
    "/strategy_search/dataset/name": "--dataset",
    "/strategy_search/dataset/path": "--data-path",
    "/placement/ranks": "--ranks",
    "/placement/nodes": "--nodes",
    "/strategy_search/strategies": "--strategies",
    "/strategy_search/target_accuracy": "--target-accuracy",
    "/strategy_search/budget_seconds": "--budget",
    "/strategy_search/global_batch_size": "--batch-size",
    "/name": "--name",
    "/priority": "--priority",
    "/time_limit_seconds": "--time-limit",
  },
  implied: new Set(["/kind", "/strategy_search/model", "/strategy_search/dataset/file", "/strategy_search/dataset/load"]),
};

/** The command. `defaults` is a job with only its kind; the number of ranks is named in any case. */
export function searchCommand(spec: JobSpec, defaults: JobSpec): string {
  const { model = "mlp", dataset } = spec.strategy_search ?? {};
  const named = dataset?.file == null ? spec : { ...spec, strategy_search: { ...spec.strategy_search, dataset: { ...dataset, name: datasetText(dataset) } } };
  const usual = { ...defaults, placement: { ...defaults.placement, ranks: null } };
  return ["ringscope", "search-strategies", modelText(model), ...flagWords(named, usual, FIELDS)].map(shellQuote).join(" ");
}
