// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it, vi } from "vitest";
import type { QueuePlan } from "../../api/types";
import type { JobCheck } from "../../data/prediction";
import { trainingChoices } from "../../testing/fixtures";
import { SCRIPT_FIELDS } from "../../lib/form/scriptForm";
import { specToForm } from "../../lib/form/specForm";
import { FormFrame } from "./FormFrame";

const answer = vi.hoisted(() => ({ check: null as unknown }));
vi.mock("./useCheck", () => ({ useCheck: () => ({ check: answer.check, onRefused: () => undefined }) }));
vi.mock("./useSubmit", () => ({ useSubmit: () => ({ submit: () => undefined, error: null, isSubmitting: false }) }));

/** The frame of a kind of job. */
function shown(check: JobCheck | null): string {
  answer.check = check;
  const spec = trainingChoices().defaults;
  const form = specToForm(SCRIPT_FIELDS, spec);
  return renderToStaticMarkup(
    <MantineProvider>
      <FormFrame from="42" spec={spec} table={SCRIPT_FIELDS} form={form} start={form} preview={null} hasCommand={false} prediction={() => "A forecast."} fields={() => null} />
    </MantineProvider>,
  );
}

const PLAN: QueuePlan = { position: 0, starts_now: true, pending: null, estimated_start: null, preempted_jobs: [], delays: [], shares: [], placed_because: "" };

it("says of every kind of job when it would start", () => {
  expect(shown({ plan: PLAN, problems: [] })).toContain("Would start now.");
  const pending = { reason: "not_enough_slots", sentence: "2 of 4 slots are free." } as QueuePlan["pending"];
  const because = "The slowest measured link among n2 and n3 reaches 11 GB/s.";
  expect(shown({ plan: { ...PLAN, placed_because: because }, problems: [] })).toContain(`Would start now. ${because}`);
  expect(shown({ plan: { ...PLAN, starts_now: false, position: 1, pending }, problems: [] })).toContain("Would not start now. 2 of 4 slots are free.");
});

it("keeps the place of that sentence until the server has said it, and says nothing that it does not know", () => {
  expect(shown(null)).toContain('aria-busy="true"');
  expect(shown({ plan: null, problems: [] })).not.toMatch(/Would|aria-busy="true"/);
});

it("has no forecast for a job that no node runs, and says once why", () => {
  expect(shown({ plan: PLAN, problems: [] })).toContain("A forecast.");
  const detail = "kind: no node runs jobs of kind training; pip install ringscope[torch] there.";
  const html = shown({ plan: null, problems: [{ pointer: "/kind", detail }] });
  expect(html.match(/no node runs jobs/gi)).toEqual(["No node runs jobs"]);
  expect(html).not.toMatch(/kind:|A forecast|Would/);
});
