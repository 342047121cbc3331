/** Labels as one line of text: "rack=3, zone=a". Pure. */

type Labels = Record<string, string>;

export function labelsText(labels: Labels): string {
  return Object.entries(labels).map(([name, value]) => `${name}=${value}`).join(", ");
}

/** The labels of a text; earlier labels that it repeats are kept, even with commas in them. */
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

/** Whether the text contains the label. */
export function hasLabel(text: string, name: string, value: string): boolean {
  return labelsFrom(text)[name] === value;
}

/** The text with the label, which replaces another value of its name; without the label if it was there. */
export function toggledLabel(text: string, name: string, value: string): string {
  const others = items(text).filter((item) => item.split("=")[0]?.trim() !== name);
  return [...others, ...(hasLabel(text, name, value) ? [] : [`${name}=${value}`])].join(", ");
}

/** Whether a text can contain the label: a comma in it would begin another one. */
export function isWritable(name: string, value: string): boolean {
  const found = labelsFrom(`${name}=${value}`);
  return Object.keys(found).length === 1 && found[name] === value;
}

function items(text: string): string[] {
  return text.split(",").map((item) => item.trim()).filter(Boolean);
}
