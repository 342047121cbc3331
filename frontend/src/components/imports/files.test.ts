// @vitest-environment jsdom
import { expect, it } from "vitest";
import { chooseFiles, chosenFiles, MOST_FILES, whyNot } from "./files";

function file(name: string, lastModified: number, size = 1): File {
  return Object.defineProperty(new File(["x"], name, { lastModified }), "size", { value: size });
}

it("puts older files first, so that a report is compared with the one before it", () => {
  chooseFiles([file("b", 2), file("new", 9), file("a", 2)]);
  expect(chosenFiles().files.map(({ name }) => name)).toEqual(["a", "b", "new"]);
});

it("tells each choice from the one before it, also of the same files", () => {
  const same = [file("a", 1)];
  expect(chooseFiles(same).at).not.toBe(chooseFiles(same).at);
});

it("says before anything is sent that files are too large or too many", () => {
  expect(whyNot([file("a", 1)])).toBeNull();
  expect(whyNot([file("a", 1, 20 * 2 ** 20), file("b", 1, 13 * 2 ** 20)])).toBe(
    "The files have 33 MiB; the page takes at most 32 MiB. The commands of ringscope read more.",
  );
  expect(whyNot(Array.from({ length: MOST_FILES + 1 }, (_, i) => file(`${i}`, i)))).toContain("These are 257 files");
});
