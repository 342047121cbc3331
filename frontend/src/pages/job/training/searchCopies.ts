/** A strategy search as other tools read it: Markdown and CSV. */
import type { JobView, SearchCandidate, StrategySearch } from "../../../api/types";
import { foundSearch } from "../../../data/strategySearch";
import { allColumns, toCsv } from "../../../lib/csv";
import { formatRate, percent } from "../../../lib/format";
import { jobTitle } from "../../../lib/state";
import { basisOf } from "../../../lib/sweep/caveats";
import { timesText } from "./SearchTable";

const CSV_COLUMNS = allColumns<SearchCandidate>()([
  "name", "state", "reason", "round", "runs", "samples_per_second", "samples_per_second_low", "samples_per_second_high", "times_as_long", "times_as_long_low",
  "times_as_long_high", "step_us", "compute_us", "input_us", "exposed_us", "communication_us", "exchanged_bytes", "sent_bytes", "most_sent_bytes", "peak_bytes", "is_exact", "same_bits", "difference", "seconds_to_target",
  "epochs_to_target", "accuracy",
]);

/** The search as it stands now, in a format. */
export async function copyOf(format: "Markdown" | "CSV", job: JobView): Promise<string> {
  const found = await foundSearch(job.id);
  return format === "CSV" ? toCsv(found.candidates, CSV_COLUMNS, basisOf(job)) : searchMarkdown(job, found, window.location.href);
}

/** The verdict, and a table of the candidates that ran; `url` is the address of the job's page. */
export function searchMarkdown(job: JobView, { sentence, candidates }: StrategySearch, url: string): string {
  const share = (part: number | null | undefined, line: SearchCandidate): string => (part == null || !line.step_us ? "–" : percent(part / line.step_us));
  const ran = candidates.filter((line) => line.samples_per_second != null);
  return [
    `**[Job ${job.id}, ${jobTitle(job)}](${url})**: ${sentence}`,
    "",
    ...(ran.length === 0 ? [] : ["| candidate | state | samples/s | times as long | computing | sums |", "|---|---|---|---|---|---|"]),
    ...ran.map(
      (line) => `| ${line.name} | ${line.state} | ${formatRate(line.samples_per_second ?? 0)} | ${timesText(line)} | ${share(line.compute_us, line)} | ${share(line.exposed_us, line)} |`,
    ),
    ...candidates.filter(({ state, reason }) => reason !== "" && state !== "slower").map(({ name, state, reason }) => `- ${name} ${state === "left_out" ? "was left out" : "left"}: ${reason}`),
    "",
  ].join("\n");
}
