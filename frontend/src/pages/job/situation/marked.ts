/** A sentence of the server, split at the backticks around its commands. */
export function marked(sentence: string): { text: string; isCode: boolean }[] {
  return sentence
    .split("`")
    .map((text, i) => ({ text, isCode: i % 2 === 1 }))
    .filter(({ text }) => text !== "");
}
