// @vitest-environment jsdom
import { act } from "react";
import { expect, it } from "vitest";
import { aJob } from "../../../testing/fixtures";
import { drawn } from "../../../testing/page";
import { LogTools } from "./LogTools";

it("has the key of a page's search box", async () => {
  const page = await drawn(<LogTools job={aJob()} problem={null}>{null}</LogTools>, "/jobs/1?tab=log");
  act(() => void document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true })));
  expect(document.activeElement).toBe(page.querySelector("input[type=search]"));
});

it("asks for lines from a level on", async () => {
  const page = await drawn(<LogTools job={aJob()} problem={null}>{null}</LogTools>, "/jobs/1?tab=log&level=error");
  const levels = page.querySelector<HTMLSelectElement>("select[aria-label='From which level']");
  expect(levels?.value).toBe("error");
  expect([...(levels?.options ?? [])].map((option) => option.value)).toEqual(["", "warning", "error"]);
});
