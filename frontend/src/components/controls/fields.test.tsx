// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { TextField } from "./fields";

vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);

test("a field tells the newest handler, and shows what has changed", () => {
  const holder = document.body.appendChild(document.createElement("div"));
  const root = createRoot(holder);
  const [first, second] = [vi.fn(), vi.fn()];
  const draw = (value: string, onChange: () => void): void =>
    act(() =>
      root.render(
        <MantineProvider>
          <TextField label="Name" value={value} onChange={onChange} />
        </MantineProvider>,
      ),
    );
  draw("old", first);
  const input = holder.querySelector("input") as HTMLInputElement;
  draw("old", second);
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(input, "new");
  act(() => void input.dispatchEvent(new Event("input", { bubbles: true })));
  expect(first).not.toHaveBeenCalled();
  expect(second).toHaveBeenCalledOnce();
  draw("new", second);
  expect(holder.querySelector("input")?.value).toBe("new");
  act(() => root.unmount());
  holder.remove();
});
