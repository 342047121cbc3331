// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError, apiError } from "../api/client";
import { AGAIN_MS, FIRST_MS, lateness, lookOut, meanwhileWords, outageWords, PATIENCE_MS } from "./outage";

it("says since when, of when what is shown is, what still works, and when it tries again", () => {
  const at = (text: string): number => new Date(`2026-11-23T${text}`).getTime();
  const outage = { sinceMs: at("15:04:05"), asOfMs: at("15:04:02.9") };
  expect(outageWords(outage)).toBe("The server has not answered since 15:04:05.");
  expect(meanwhileWords(outage)).toBe(
    "You can read on: loaded pages show what was known at 15:04:02. Nothing can be changed; the page tries again every 10 s.",
  );
});

it("takes the newest word on late work, and none for no news", () => {
  const late = (sentence: string | null) => ({ name: "late", data: { sentence } });
  expect(lateness([{ name: "job", data: {} }])).toBeUndefined();
  expect(lateness([late("No scheduling pass for 8 s."), late(null)])).toBeNull();
  expect(lateness([late(null), { name: "node", data: {} }, late("No scheduling pass for 9 s.")])).toBe(
    "No scheduling pass for 9 s.",
  );
});

describe("the look out for the server", () => {
  let calls: string[];
  let ask: (signal: AbortSignal) => Promise<unknown>;
  let end: () => void;

  beforeEach(() => {
    vi.useFakeTimers();
    calls = [];
    end = lookOut({
      ask: (signal) => ask(signal),
      onAnswer: (isFirst) => calls.push(isFirst ? "first answer" : "answer"),
      onSilence: () => calls.push("silence"),
    });
  });

  afterEach(() => {
    end();
    vi.useRealTimers();
  });

  it("distinguishes a server that answers, even with a refusal, from one that does not", async () => {
    ask = () => Promise.resolve({});
    await vi.advanceTimersByTimeAsync(FIRST_MS);
    ask = () => Promise.reject(new TypeError("Failed to fetch"));
    await vi.advanceTimersByTimeAsync(AGAIN_MS);
    ask = () => Promise.reject(new ApiError(502, "", "Bad Gateway", []));
    await vi.advanceTimersByTimeAsync(AGAIN_MS);
    ask = () => Promise.reject(apiError(503, "<h1>Service Unavailable</h1>"));
    await vi.advanceTimersByTimeAsync(AGAIN_MS);
    ask = () => Promise.reject(new ApiError(503, "disk_full", "The disk is full.", []));
    await vi.advanceTimersByTimeAsync(AGAIN_MS);
    expect(calls).toEqual(["first answer", "silence", "silence", "silence", "answer"]);
  });

  it("takes one that says nothing for one that is not there", async () => {
    ask = (signal) => new Promise((_, fail) => signal.addEventListener("abort", () => fail(new Error("aborted"))));
    await vi.advanceTimersByTimeAsync(FIRST_MS + PATIENCE_MS - 1);
    expect(calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(calls).toEqual(["silence"]);
  });

  it("asks no more once the stream is back", async () => {
    ask = () => Promise.resolve({});
    end();
    await vi.advanceTimersByTimeAsync(FIRST_MS + AGAIN_MS);
    expect(calls).toEqual([]);
  });
});
