// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { CopyButton } from "./CopyButton";

vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);

/** What the button says after it was pressed. */
async function pressed(writeText: (text: string) => Promise<void>): Promise<string | null> {
  Object.defineProperty(window, "isSecureContext", { value: true, configurable: true });
  Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
  const element = document.createElement("div");
  document.body.append(element);
  const root = createRoot(element);
  act(() => root.render(<MantineProvider><CopyButton text="ringscope jobs" label="Copy" /></MantineProvider>));
  const button = element.querySelector("button");
  await act(async () => button?.click());
  const said = button?.textContent ?? null;
  act(() => root.unmount());
  element.remove();
  return said;
}

afterEach(() => {
  vi.restoreAllMocks();
});

it("says that it copied", async () => {
  const writeText = vi.fn(() => Promise.resolve());
  expect(await pressed(writeText)).toBe("✓ copied");
  expect(writeText).toHaveBeenCalledWith("ringscope jobs");
});

it("says that the browser refused", async () => {
  expect(await pressed(() => Promise.reject(new DOMException("denied", "NotAllowedError")))).toBe("✕ the browser did not copy it");
});
