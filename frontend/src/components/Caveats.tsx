import type { JobView } from "../api/types";
import { caveats } from "../lib/caveats";
import { Caveat } from "./Caveat";

/** What to know before a job's numbers are compared with others. */
export function Caveats({ job }: { job: JobView }) {
  return caveats(job).map(({ word, why }) => <Caveat key={word} word={word} why={why} />);
}
