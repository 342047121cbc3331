/** The messages of a collective in words, for captions and screen readers. Pure. */
import { digits, formatSeconds } from "./amount";
import { plural } from "./format";
import { contributions, isEmpty, type Move, type Run } from "./moves";
import { formatSize } from "./size";

/** "all_gather" as "all-gather". */
export function phaseInWords(phase: string): string {
  return phase.replaceAll("_", "-");
}

/** "rank 0 sends 2 (chunk 0) to rank 1, which adds it". */
export function moveInWords({ src, dst, chunks, reduce, values }: Move): string {
  const names = chunks.length > 2 ? `chunks ${chunks[0]} to ${chunks.at(-1)}` : `chunk${chunks.length > 1 ? "s" : ""} ${chunks.join(" and ")}`;
  const what = values && values.length <= 3 ? `${values.map(digits).join(", ")} (${names})` : names;
  return `rank ${src} sends ${what} to rank ${dst}, which ${reduce ? "adds" : "keeps"} it`;
}

const MOST_MOVES = 3;

/** The caption of a step; also for screen readers. */
export function stepInWords(run: Run, step: number): string {
  const moves = run.steps[step - 1];
  const [first] = moves ?? [];
  if (!moves || !first) return `Before step 1 of ${run.steps.length}: every rank holds its own input.`;
  const where = `Step ${step} of ${run.steps.length}, ${phaseInWords(first.phase)}`;
  const shown = moves.slice(0, MOST_MOVES).map(moveInWords).join("; ");
  const rest = moves.length > MOST_MOVES ? `; and ${plural(moves.length - MOST_MOVES, "more message")}` : "";
  return `${where}: ${shown}${rest}. ${costInWords(moves)}`;
}

function costInWords(moves: readonly Move[]): string {
  const largest = Math.max(...moves.map((move) => move.bytes));
  const longest = moves.reduce((worst, move) => (move.endUs - move.startUs > worst.endUs - worst.startUs ? move : worst));
  const { predictedUs } = longest;
  const time = formatSeconds((longest.endUs - longest.startUs) / 1e6);
  const beside = predictedUs === null ? "" : `, predicted ${formatSeconds(predictedUs / 1e6)}`;
  return `${moves.length > 1 ? "Each at most" : "That is"} ${formatSize(largest)}, ${time}${beside}.`;
}

/** "Every rank ends with 7, 14, 21." */
export function resultInWords(results: readonly (readonly number[])[]): string {
  const texts = results.map((row) => (row.length > 16 ? `${row.length} numbers` : row.map(digits).join(", ") || "nothing"));
  if (new Set(texts).size === 1) return `Every rank ends with ${texts[0]}.`;
  if (texts.length > 8) return "Each rank ends with its own part.";
  return `${texts.map((text, rank) => `Rank ${rank} ends with ${text}`).join("; ")}.`;
}

/** The result after the last step if numbers are not known: how much of it is complete. Empty chunks do not count. */
export function endInWords(run: Run, reduces: boolean): string {
  if (!reduces || run.chunks.length === 0) return "Every message has arrived.";
  const counts = contributions(run, run.steps.length).flatMap((row) => row.filter((_, chunk) => !isEmpty(run, chunk)));
  const whole = counts.filter((count) => count === run.ranks).length;
  if (whole === counts.length) return `Complete: every chunk on every rank holds the inputs of all ${run.ranks} ranks.`;
  return `Complete: ${whole} of ${plural(counts.length, "cell")} of the matrix, which hold the inputs of all ${run.ranks} ranks.`;
}
