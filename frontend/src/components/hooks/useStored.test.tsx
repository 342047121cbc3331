// @vitest-environment jsdom
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useStored } from "./useStored";

vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);

type Marks = readonly number[];
const NONE: Marks = [];
let root: Root;

function Drawn({ onDraw }: { onDraw: (marks: Marks, keep: (marks: Marks) => void) => void }) {
  onDraw(...useStored("marks", NONE));
  return null;
}

beforeEach(() => {
  root = createRoot(document.createElement("div"));
});

afterEach(() => {
  act(() => root.unmount());
  localStorage.clear();
});

describe("what the browser keeps", () => {
  it.each([
    ["marks of an earlier visit", "[3,1]", [3, 1]],
    ["nothing", undefined, NONE],
    ["a text that was cut off", "[3,", NONE],
  ])("is drawn once where it is %s", (_, text, marks) => {
    if (text !== undefined) localStorage.setItem("marks", text);
    const onDraw = vi.fn();
    act(() => root.render(<Drawn onDraw={onDraw} />));
    expect(onDraw.mock.calls.map(([drawn]: unknown[]) => drawn)).toEqual([marks]);
  });

  it("is there at the next visit", () => {
    const onDraw = vi.fn<(marks: Marks, keep: (marks: Marks) => void) => void>();
    act(() => root.render(<Drawn onDraw={onDraw} />));
    act(() => onDraw.mock.lastCall?.[1]([7]));
    expect(onDraw).toHaveBeenLastCalledWith([7], expect.any(Function));
    expect(localStorage.getItem("marks")).toBe("[7]");
  });
});
