/** The entries of the command palette that match a few typed letters. Pure. */

export interface Entry {
  /** Unique among all entries. */
  id: string;
  /** "Page", "Job", "Node" or "Do". */
  kind: string;
  title: string;
  /** Other words by which the entry is found; also shown. */
  note?: string;
  /** The key that does the same. */
  key?: string;
}

const MOST = 12;

/** The entries that contain every typed word, titles that begin with the text first; all entries for an empty text. */
export function found<E extends Entry>(entries: readonly E[], text: string): E[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = entries.filter((entry) => {
    const hay = `${entry.kind} ${entry.title} ${entry.note ?? ""}`.toLowerCase();
    return words.every((word) => hay.includes(word));
  });
  const start = words.join(" ");
  const isFirst = (entry: E): number => Number(start !== "" && entry.title.toLowerCase().startsWith(start));
  return hits.sort((a, b) => isFirst(b) - isFirst(a)).slice(0, MOST);
}

/** The job that a text refers to: its number, "job 42", "#42" or an address of its page; null for anything else. */
export function jobNumber(text: string): number | null {
  const digits = /^(?:job\s*|#)?(\d{1,15})$|\/jobs\/(\d{1,15})(?:[/?#]|$)/i.exec(text.trim());
  return digits ? Number(digits[1] ?? digits[2]) : null;
}
