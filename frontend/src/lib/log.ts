/** Which log lines a filter leaves. */
import type { LogLine } from "../api/types";

/** Lines that contain every word, in either case; "rank:2" is a word that means the lines of rank 2. */
export function filterLog(lines: readonly LogLine[], filter: string): LogLine[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (line: LogLine, word: string): boolean => {
    const rank = /^rank:(\d+)$/.exec(word)?.[1];
    return rank === undefined ? line.text.toLowerCase().includes(word) : line.rank === Number(rank);
  };
  return lines.filter((line) => words.every((word) => matches(line, word)));
}
