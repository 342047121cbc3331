import { describe, expect, it } from "vitest";
import { pieces } from "./ansi";

const plain = { colour: null, isBold: false };

describe("pieces", () => {
  it("leaves plain text whole", () => expect(pieces("a [0m b")).toEqual([{ text: "a [0m b", ...plain }]));

  it("gives colours and weight until they are taken back", () =>
    expect(pieces("a\x1b[31;1mred\x1b[22m thin\x1b[0m b\x1b[92mlight\x1b[39m.")).toEqual([
      { text: "a", ...plain },
      { text: "red", colour: 1, isBold: true },
      { text: " thin", colour: 1, isBold: false },
      { text: " b", ...plain },
      { text: "light", colour: 2, isBold: false },
      { text: ".", ...plain },
    ]));

  it("drops what moves the cursor, links, and an escape at the end", () =>
    expect(pieces("\x1b[2K\x1b[1A50 %\x1b]8;;http://x\x07link\x1b]8;;\x07\x1b[m")).toEqual([
      { text: "50 %", ...plain },
      { text: "link", ...plain },
    ]));

  it("has nothing for nothing", () => expect(pieces("")).toEqual([]));
});
