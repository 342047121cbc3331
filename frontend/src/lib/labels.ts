/** Labels as one line of text: "rack=3, zone=a". Pure. */

type Labels = Record<string, string>;

export function labelsText(labels: Labels): string {
  return Object.entries(labels).map(([name, value]) => `${name}=${value}`).join(", ");
}

/** The labels of a text; those of before where it is theirs, also with commas in them. */
export function labelsFrom(text: string, before: Labels = {}): Labels {
  if (text === labelsText(before)) return before;
  const pairs = items(text).map((item) => item.split("="));
  return Object.fromEntries(pairs.map(([name = "", ...value]) => [name.trim(), value.join("=").trim()]));
}

/** What is wrong with the text; null: nothing. */
export function labelsProblem(text: string): string | null {
  const isWhole = items(text).every((item) => /^[^=]*[^=\s][^=]*=/.test(item));
  return isWhole ? null : "Labels are written as rack=3, with commas between several.";
}

function items(text: string): string[] {
  return text.split(",").map((item) => item.trim()).filter(Boolean);
}
