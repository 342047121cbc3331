// @vitest-environment jsdom
import { act } from "react";
import { expect, it } from "vitest";
import { useRouterState } from "@tanstack/react-router";
import type { JobView } from "../../api/types";
import { useShortcuts } from "../../components/hooks/shortcuts";
import { meQuery } from "../../data/server";
import { aJob } from "../../testing/fixtures";
import { Answers, drawn } from "../../testing/page";
import { useJobKeys } from "./useJobKeys";

const DEEDS = ["again", "repeat"] as const;

/** The page of a job; elsewhere the address. */
function Shown({ job }: { job: JobView }) {
  const address = useRouterState({ select: ({ location }) => location.href });
  return address.startsWith("/jobs/") ? <Offered job={job} /> : <output>{address}</output>;
}

/** A button that repeats the job, and one that says what the palette would offer. */
function Offered({ job }: { job: JobView }) {
  useJobKeys(job, "results");
  const { registry } = useShortcuts();
  return (
    <>
      <button type="button" onClick={() => registry.handlerOf("repeat")?.()}>
        repeat
      </button>
      <button type="button" onClick={({ currentTarget }) => (currentTarget.value = DEEDS.filter((deed) => registry.handlerOf(deed)).join())}>
        offered
      </button>
    </>
  );
}

async function page(job: JobView, role: string): Promise<HTMLElement> {
  return drawn(<Shown job={job} />, `/jobs/${job.id}`, new Answers().of(meQuery, { name: "ada", role, command: null } as never));
}

function offered(shown: HTMLElement): string | undefined {
  const button = shown.querySelectorAll("button")[1];
  act(() => button?.click());
  return button?.value;
}

it.each([
  [aJob({ id: 7 }), "operator", "again,repeat"],
  [aJob({ id: 7 }), "viewer", ""],
  [aJob({ id: 7, kind: "imported" as never }), "operator", ""],
])("offers the palette to run a job again and to repeat it, if that is possible (case %#)", async (job, role, deeds) => {
  expect(offered(await page(job, role))).toBe(deeds);
});

it("leads to the form of a schedule for the job", async () => {
  const shown = await page(aJob({ id: 7 }), "operator");
  await act(async () => shown.querySelector("button")?.click());
  expect(shown.querySelector("output")?.textContent).toBe("/settings/schedules?job=7");
});
