import { expect, it } from "vitest";
import { marked } from "./marked";

it("finds the commands in a sentence", () => {
  expect(marked("`ringscope nodes` shows what is free.")).toEqual([
    { text: "ringscope nodes", isCode: true },
    { text: " shows what is free.", isCode: false },
  ]);
  expect(marked("Nothing.")).toEqual([{ text: "Nothing.", isCode: false }]);
});
