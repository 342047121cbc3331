/** Text with a terminal's escape sequences (ECMA-48) as styled pieces; sequences that are no colour or weight are dropped. */

export interface Piece {
  text: string;
  /** One of the terminal's eight colours, by its number from 0. */
  colour: number | null;
  isBold: boolean;
}

// eslint-disable-next-line no-control-regex
const ESCAPE = /\x1b(?:\[([0-9;?]*)([A-Za-z])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g;
const COLOURS = [30, 90] as const;

/** The pieces of a line in their order, without empty ones. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let look: Omit<Piece, "text"> = { colour: null, isBold: false };
  let from = 0;
  const take = (to: number): void => {
    if (to > from) found.push({ text: text.slice(from, to), ...look });
  };
  for (const match of text.matchAll(ESCAPE)) {
    take(match.index);
    from = match.index + match[0].length;
    if (match[2] === "m") look = (match[1] || "0").split(";").map(Number).reduce(after, look);
  }
  take(text.length);
  return found;
}

function after(look: Omit<Piece, "text">, code: number): Omit<Piece, "text"> {
  if (code === 0) return { colour: null, isBold: false };
  if (code === 1) return { ...look, isBold: true };
  if (code === 22) return { ...look, isBold: false };
  if (code === 39) return { ...look, colour: null };
  const base = COLOURS.find((first) => code >= first && code < first + 8);
  return base === undefined ? look : { ...look, colour: code - base };
}
