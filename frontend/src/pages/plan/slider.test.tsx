// @vitest-environment jsdom
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Slider } from "./Slider";

vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);

let root: Root;
let holder: HTMLElement;
const onCommit = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  onCommit.mockReset();
  holder = document.body.appendChild(document.createElement("div"));
  root = createRoot(holder);
  draw(8);
});

afterEach(() => {
  act(() => root.unmount());
  holder.remove();
  vi.useRealTimers();
});

function draw(value: number): void {
  act(() => root.render(<Slider label="Ranks" value={value} from={2} to={64} text={`${value} ranks`} onCommit={onCommit} />));
}

function moveTo(place: number): void {
  const input = holder.querySelector("input") as HTMLInputElement;
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(input, String(place));
  act(() => void input.dispatchEvent(new Event("input", { bubbles: true })));
}

const rest = (): void => act(() => void vi.advanceTimersByTime(1000));

test("it tells its value once it rests", () => {
  moveTo(300);
  moveTo(400);
  expect(onCommit).not.toHaveBeenCalled();
  rest();
  expect(onCommit.mock.calls).toEqual([[64]]);
});

test("left before it rests it tells its value at once, and only once", () => {
  moveTo(400);
  act(() => void holder.querySelector("input")?.dispatchEvent(new FocusEvent("focusout", { bubbles: true })));
  expect(onCommit.mock.calls).toEqual([[64]]);
  rest();
  expect(onCommit).toHaveBeenCalledTimes(1);
});

test("what was drawn over one value never overwrites another one", () => {
  moveTo(400);
  draw(10);
  rest();
  expect(onCommit).not.toHaveBeenCalled();
});
