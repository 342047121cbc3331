// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import { api } from "../../../api/client";
import { drawn } from "../../../testing/page";
import { Share } from "./ShareDialog";

vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);

it.each([
  ["http://127.0.0.1:8000/login?token=x", "http://localhost:3000", "Only this machine can open the link: its address is localhost."],
  ["https://bench.example.com/login?token=x", "https://bench.example.com", ""],
])("warns of a link that only this machine can open: %s", async (url, origin, warning) => {
  HTMLDialogElement.prototype.showModal = vi.fn();
  vi.stubGlobal("location", Object.assign(new URL(`${origin}/jobs/7`), { reload: vi.fn() }));
  const post = vi.spyOn(api, "POST").mockResolvedValue({ data: { url, expires_at: "2026-01-01T00:00:00Z" }, response: new Response() } as never);
  const page = await drawn(<Share />, "/jobs/7");
  await act(async () => page.querySelector("button")?.click());
  await act(() => vi.waitFor(() => expect(page.textContent).toContain("It works once")));
  expect(page.querySelector("[role=note]")?.textContent.slice(0, warning.length || undefined) ?? "").toBe(warning);
  post.mockRestore();
});
