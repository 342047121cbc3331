// @vitest-environment jsdom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { Folded } from "./Folded";

vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);

test("what is folded is drawn once it is opened or needed, and stays as it was left", () => {
  const holder = document.body.appendChild(document.createElement("div"));
  const root = createRoot(holder);
  const draw = (isNeeded: boolean): void =>
    act(() =>
      root.render(
        <Folded summary="Advanced" isNeeded={isNeeded}>
          <input />
        </Folded>,
      ),
    );
  draw(false);
  const details = holder.querySelector("details") as HTMLDetailsElement;
  expect([details.open, holder.querySelector("input")]).toEqual([false, null]);
  draw(true);
  expect([details.open, holder.querySelector("input") !== null]).toEqual([true, true]);
  draw(false); // nothing is folded under somebody's hands
  expect(details.open).toBe(true);
  act(() => {
    details.open = false;
    details.dispatchEvent(new Event("toggle"));
  });
  expect([details.open, holder.querySelector("input") !== null]).toEqual([false, true]);
  act(() => root.unmount());
  holder.remove();
});
