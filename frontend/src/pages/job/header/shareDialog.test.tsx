// @vitest-environment jsdom
import { act } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { api } from "../../../api/client";
import { tokensQuery } from "../../../data/settings";
import { Answers, drawn } from "../../../testing/page";
import { Share } from "./ShareDialog";

vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
afterEach(() => vi.restoreAllMocks());

const LINK = { id: 9, kind: "share", role: "viewer", note: "/jobs/7", created_at: "2026-01-01T00:00:00Z", expires_at: "2036-01-08T00:00:00Z", last_used_at: null };

async function opened(origin: string, tokens: object[] = []): Promise<HTMLElement> {
  HTMLDialogElement.prototype.showModal = vi.fn();
  vi.stubGlobal("location", Object.assign(new URL(`${origin}/jobs/7`), { reload: vi.fn() }));
  const page = await drawn(<Share />, "/jobs/7", new Answers().of(tokensQuery, tokens as never));
  await act(async () => page.querySelector("button")?.click());
  return page;
}

async function press(page: HTMLElement, label: string): Promise<void> {
  await act(async () => [...page.querySelectorAll("button")].find(({ textContent }) => textContent.startsWith(label))?.click());
}

it.each([
  ["http://127.0.0.1:8000/login?token=x", "http://localhost:3000", "Only this machine can open the link: its address is localhost."],
  ["https://bench.example.com/login?token=x", "https://bench.example.com", ""],
])("warns of a link that only this machine can open: %s", async (url, origin, warning) => {
  const post = vi.spyOn(api, "POST").mockResolvedValue({ data: { id: 9, url, expires_at: "2036-01-08T00:00:00Z" }, response: new Response() } as never);
  const page = await opened(origin);
  expect(post).not.toHaveBeenCalled();
  await press(page, "Make link");
  await act(() => vi.waitFor(() => expect(page.textContent).toContain("Anyone with this link can view everything and change nothing until ")));
  expect(post).toHaveBeenCalledWith("/api/v1/share-links", { body: { next: "/jobs/7", expires_in_days: 7 } });
  expect(page.querySelector("[aria-label=Warnings]")?.textContent.replace("⚠ ", "").slice(0, warning.length || undefined) ?? "").toBe(warning);
});

it("lists the links to this page only, and revokes one", async () => {
  const revoke = vi.spyOn(api, "DELETE").mockResolvedValue({ data: undefined, response: new Response(null, { status: 204 }) } as never);
  const page = await opened("https://bench.example.com", [LINK, { ...LINK, id: 8, note: "/jobs/8" }, { ...LINK, id: 7, kind: "personal" }]);
  expect([...page.querySelectorAll("li")].map(({ textContent }) => textContent.split(",")[0])).toEqual(["Link 9"]);
  await press(page, "Revoke");
  expect(revoke).toHaveBeenCalledWith("/api/v1/tokens/{token_id}", { params: { path: { token_id: 9 } } });
});
