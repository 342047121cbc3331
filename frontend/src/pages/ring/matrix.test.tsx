import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { aRingOfThree } from "../../testing/exampleFixture";
import { runOf } from "../../lib/moves";
import { ChunkMatrix } from "./ChunkMatrix";
import { MoveTable } from "./MoveTable";

const run = runOf(aRingOfThree());

/** The text of each cell. */
function cells(html: string): string[] {
  return [...html.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = ""]) => cell.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ").trim());
}

describe("ChunkMatrix", () => {
  it("shows what each rank holds and how many inputs it contains", () => {
    const html = renderToStaticMarkup(<ChunkMatrix run={run} step={2} reduces />);
    expect(cells(html)).toEqual(["2 1/3", "14 3/3 ✓", "18 2/3", "3 2/3", "2 1/3", "21 3/3 ✓", "7 3/3 ✓", "10 2/3", "12 1/3"]);
    expect(html.match(/data-changed/g)).toHaveLength(3);
    expect(html.match(/data-whole/g)).toHaveLength(3);
  });

  it("counts no inputs where nothing is summed, and shows no numbers where none are known", () => {
    expect(cells(renderToStaticMarkup(<ChunkMatrix run={run} step={4} reduces={false} />))[0]).toBe("7");
    expect(cells(renderToStaticMarkup(<ChunkMatrix run={{ ...run, held: null }} step={0} reduces />))[0]).toBe("1/3");
  });
});

it("lists each message with its numbers and times", () => {
  const html = renderToStaticMarkup(<MoveTable moves={run.steps.flat()} current={run.steps[0] ?? []} isSimulated />);
  expect(cells(html).slice(0, 9)).toEqual(["reduce-scatter", "0 → 1", "0", "2", "adds", "4 B", "0 µs", "1 µs", "2 µs"]);
  expect(html.match(/data-active/g)).toHaveLength(3);
});
