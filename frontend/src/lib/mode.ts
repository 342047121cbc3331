/** The options of a benchmark that change its times, and that no row contains: as ringscope/contracts/mode.py. */
import type { BenchmarkSpec } from "../api/types";
import { plural } from "./format";

export interface NonDefault {
  /** In a word or two. */
  word: string;
  /** The value that the job asked for. */
  asked: string;
}

const AVERAGES: Readonly<Record<BenchmarkSpec["benchmark"]["average"], string>> = {
  mean: "the mean of the ranks' times",
  rank0: "the time of rank 0",
  min: "the shortest of the ranks' times",
  max: "the longest of the ranks' times",
};

const WAITED = ["", "to wait for each operation, after which all ranks meet", "to wait for each operation", "that all ranks meet after each iteration"];

const REGISTERED = ["", "for buffers that are registered with NCCL", "for buffers that are NCCL's symmetric windows"];

/** Return the options that differ from the default mode; numbers of a job without any compare with others'. */
export function nonDefault({ benchmark: { channels, aggregate, blocking, registration = 0, cuda_graph_launches: launches = 0, average, rotate }, env = {} }: BenchmarkSpec): NonDefault[] {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`).join(" ");
  return [
    ...(channels == null ? [] : [{ word: plural(channels, "channel"), asked: `for ${plural(channels, "channel")} of rings and trees` }]),
    ...(aggregate === 1 ? [] : [{ word: `aggregate ${aggregate}`, asked: `for ${plural(aggregate, "operation")} in each iteration` }]),
    ...(blocking === 0 ? [] : [{ word: `blocking ${blocking}`, asked: WAITED[blocking] ?? "" }]),
    ...(registration === 0 ? [] : [{ word: `registration ${registration}`, asked: REGISTERED[registration] ?? "" }]),
    ...(launches === 0 ? [] : [{ word: `graph launches ${launches}`, asked: `for each block as a CUDA graph that is launched ${plural(launches, "time")}` }]),
    ...(average === "mean" ? [] : [{ word: `average ${average}`, asked: `for ${AVERAGES[average]}` }]),
    ...(rotate ? [{ word: "rotate", asked: "for another piece of memory in each operation" }] : []),
    ...(variables === "" ? [] : [{ word: `env ${variables}`, asked: `for the variables ${variables}` }]),
  ];
}
