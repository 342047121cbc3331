// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { CodeNotLoaded, untilLoaded, withStyles } from "./lazyPart";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../api/client", async (original) => ({ ...(await original<object>()), api: { GET: ask } }));

const BROKEN = (): Promise<never> => Promise.reject(new Error("Unable to preload CSS for /assets/Steps-1.css"));
const UNREACHED = (): Promise<never> => Promise.reject(new Error("The server could not be reached."));

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  ask.mockReset();
  document.head.replaceChildren();
});

it("waits while the server cannot be reached, and loads the code then", async () => {
  const load = vi.fn<() => Promise<string>>(BROKEN);
  ask.mockImplementation(UNREACHED);
  const code = untilLoaded(load);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(load.mock.calls.length).toBeGreaterThan(10);
  load.mockResolvedValue("the code");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await code).toBe("the code");
});

it("asks once more if the server answers, and gives up if that fails too", async () => {
  ask.mockResolvedValue({ data: {}, response: new Response() });
  const gone = vi.fn(BROKEN);
  await expect(untilLoaded(gone)).rejects.toThrow(CodeNotLoaded);
  expect(gone).toHaveBeenCalledTimes(2);
  const back = vi.fn<() => Promise<string>>(BROKEN);
  back.mockImplementationOnce(BROKEN).mockResolvedValueOnce("the code");
  expect(await untilLoaded(back)).toBe("the code");
});

it("loads a missing stylesheet again before the code is used", async () => {
  document.head.innerHTML = '<link rel="stylesheet" href="/assets/Steps-1.css">';
  let isOver = false;
  const code = withStyles(() => Promise.resolve("the code"));
  void code.then(() => (isOver = true));
  await vi.advanceTimersByTimeAsync(0);
  expect(isOver).toBe(false);
  const again = document.querySelectorAll("link").item(1);
  expect(again.href).toMatch("/assets/Steps-1.css");
  again.dispatchEvent(new Event("load"));
  expect(await code).toBe("the code");
});

it("fails without its stylesheet, and leaves no link behind for each try", async () => {
  document.head.innerHTML = '<link rel="stylesheet" href="/assets/Steps-1.css">';
  const code = withStyles(() => Promise.resolve("the code"));
  await vi.advanceTimersByTimeAsync(0);
  document.querySelectorAll("link").item(1).dispatchEvent(new Event("error"));
  await expect(code).rejects.toThrow("/assets/Steps-1.css could not be loaded.");
  expect(document.querySelectorAll("link")).toHaveLength(1);
});
