/** A sentence of the server with commands between backticks, in pieces. */
export function marked(sentence: string): { text: string; isCode: boolean }[] {
  return sentence
    .split("`")
    .map((text, i) => ({ text, isCode: i % 2 === 1 }))
    .filter(({ text }) => text !== "");
}
