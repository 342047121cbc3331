// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import { api } from "../../api/client";
import type { JobSpec } from "../../api/types";
import { drawn } from "../../testing/page";
import { useSubmit } from "./useSubmit";

interface Sent {
  params: { header: { "idempotency-key": string } };
}

function Send({ spec }: { spec: JobSpec }) {
  const { submit } = useSubmit(spec, () => undefined);
  return <button onClick={submit}>Submit</button>;
}

async function press(page: HTMLElement): Promise<void> {
  await act(async () => page.querySelector("button")?.click());
}

it("a submission whose answer was lost keeps its key, and another one has its own", async () => {
  const lost = () => Promise.reject(new Error("The server could not be reached."));
  const post = vi.spyOn(api, "POST").mockImplementation(lost as never);
  const keys = (): unknown[] => post.mock.calls.map((call: unknown[]) => (call[1] as Sent).params.header["idempotency-key"]);
  const spec = { kind: "benchmark", name: "one" } as JobSpec;
  const page = await drawn(<Send spec={spec} />, "/");
  await press(page);
  await press(page);
  spec.name = "other";
  await press(page);
  const [first, second, third] = keys();
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(second).toBe(first);
  expect(third).toMatch(/^[0-9a-f]{32}$/);
  expect(third).not.toBe(first);
});
