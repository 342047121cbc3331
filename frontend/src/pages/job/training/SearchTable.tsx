import type { SearchCandidate } from "../../../api/types";
import { ScrollX } from "../../../components/controls/ScrollX";
import { formatDuration, formatRate, percent, plural, threeDigits } from "../../../lib/format";
import { formatSize } from "../../../lib/size";

const STATES: Record<string, string> = { left_out: "left out" };

interface Props {
  candidates: readonly SearchCandidate[];
  /** The expected sums of a step in microseconds, by candidate. */
  expected?: ReadonlyMap<string, number>;
}

/** A row for each candidate, the fastest first; those that left or cannot run say why. */
export function SearchTable({ candidates, expected = new Map() }: Props) {
  const hasTarget = candidates.some(({ accuracy }) => accuracy != null);
  return (
    <ScrollX label="Candidates of the search" isTall>
      <table>
        <caption className="hidden-visually">Speed of each candidate, the parts of its mean step, and why it left</caption>
        <thead>
          <tr>
            <th scope="col">Candidate</th>
            <th scope="col">State</th>
            <th scope="col" className="number">Samples/s</th>
            <th scope="col" className="number">Times as long</th>
            <th scope="col" className="number">Computing</th>
            <th scope="col" className="number">Samples</th>
            <th scope="col" className="number">Sums</th>
            <th scope="col" className="number">All sums (ms)</th>
            <th scope="col" className="number">Model (ms)</th>
            <th scope="col" className="number">Exchanged</th>
            <th scope="col" className="number">Sent</th>
            <th scope="col">One process</th>
            <th scope="col" className="number">Memory</th>
            <th scope="col" className="number">Runs</th>
            {hasTarget && <th scope="col" className="number">To the target</th>}
            <th scope="col">Why it left</th>
          </tr>
        </thead>
        <tbody>
          {candidates.map((line) => (
            <tr key={line.name}>
              <th scope="row">{line.name}</th>
              <td>{STATES[line.state] ?? line.state}</td>
              <td className="number" title={rateRange(line)}>{line.samples_per_second == null ? "–" : formatRate(line.samples_per_second)}</td>
              <td className="number">{timesText(line)}</td>
              <td className="number">{share(line.compute_us, line)}</td>
              <td className="number">{share(line.input_us, line)}</td>
              <td className="number">{share(line.exposed_us, line)}</td>
              <td className="number">{milliseconds(line.communication_us)}</td>
              <td className="number">{milliseconds(line.samples_per_second == null ? null : expected.get(line.name))}</td>
              <td className="number">{line.exchanged_bytes == null ? "–" : formatSize(Math.round(line.exchanged_bytes))}</td>
              <td className="number">{sentText(line)}</td>
              <td>{equalText(line)}</td>
              <td className="number">{line.peak_bytes == null ? "–" : formatSize(line.peak_bytes)}</td>
              <td className="number">{line.runs}</td>
              {hasTarget && <td className="number">{targetText(line)}</td>}
              <td>{line.reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

/** "4.20 s, 5 epochs"; the best accuracy where the target was not reached. */
export function targetText({ seconds_to_target: seconds, epochs_to_target: epochs, accuracy }: SearchCandidate): string {
  if (seconds != null) return `${formatDuration(seconds)}, ${plural(epochs ?? 0, "epoch")}`;
  return accuracy == null ? "–" : `not reached: ${percent(accuracy)}`;
}

/** "1.50 (1.40 to 1.60)"; the fastest candidate is compared with itself and has no interval. */
export function timesText(line: SearchCandidate): string {
  const { times_as_long: times, times_as_long_low: low, times_as_long_high: high } = line;
  if (times == null) return "–";
  return low == null || high == null || low === high ? threeDigits(times) : `${threeDigits(times)} (${threeDigits(low)} to ${threeDigits(high)})`;
}

function milliseconds(timeUs: number | null | undefined): string {
  return timeUs == null ? "–" : threeDigits(timeUs / 1000);
}

/** Whether the parameters are those of one process: "same bits", or "differs by 3e-8". */
export function equalText({ same_bits: same, difference }: SearchCandidate): string {
  if (difference == null) return "–";
  return same ? "same bits" : `differs by ${difference.toExponential(0)}`;
}

/** From this factor on the rank that sends most is named beside the mean. */
const CLEARLY_MORE = 1.1;

/** "3 MiB", or "3 MiB, at most 9 MiB" where a rank, such as a server, sends more than the mean. */
export function sentText({ sent_bytes: sent, most_sent_bytes: most }: SearchCandidate): string {
  if (sent == null) return "–";
  const mean = formatSize(Math.round(sent));
  return most == null || most < CLEARLY_MORE * sent ? mean : `${mean}, at most ${formatSize(Math.round(most))}`;
}

function rateRange({ samples_per_second_low: low, samples_per_second_high: high }: SearchCandidate): string | undefined {
  return low == null || high == null ? undefined : `95 % interval: ${formatRate(low)} to ${formatRate(high)}`;
}

function share(partUs: number | null | undefined, { step_us: stepUs }: SearchCandidate): string {
  return partUs == null || !stepUs ? "–" : percent(partUs / stepUs);
}
