// @vitest-environment jsdom
import { expect, it } from "vitest";
import { aJob } from "../../../testing/fixtures";
import { drawn } from "../../../testing/page";
import { aRow } from "../../../testing/resultFixtures";
import { SweepTable } from "./SweepTable";

async function table(registration: number, transport: string): Promise<{ columns: (string | null)[]; cells: (string | null)[] }> {
  const { spec, ...job } = aJob({ id: 7 });
  const asked = { ...job, spec: { ...spec, benchmark: { ...spec.benchmark, registration } } };
  const rows = [aRow({ transport }), aRow({ id: 2, transport, in_place: true })];
  const nothing = () => undefined;
  const page = await drawn(
    <SweepTable job={asked} rows={rows} isCheckedInPlace chosen={undefined} chosenSize={null} onChoose={nothing} hovered={null} onHover={nothing} />,
    "/jobs/7?view=table",
  );
  const texts = (selector: string) => [...page.querySelectorAll(selector)].map(({ textContent }) => textContent);
  return { columns: texts("thead tr:last-child th"), cells: texts("tbody tr:first-child > *") };
}

it("has a column for what NCCL knew of the buffers, of a job that asked for it only", async () => {
  const usual = await table(0, "nccl");
  expect(usual.columns).not.toContain("registration");
  const registered = await table(2, "nccl, symmetric windows, loopback");
  expect(registered.columns.slice(0, 3)).toEqual(["size", "elements", "registration"]);
  expect(registered.cells.slice(0, 3)).toEqual(["1 KiB", "256", "symmetric windows"]);
  expect(registered.cells).toHaveLength(usual.cells.length + 1);
  expect((await table(1, "nccl, registered")).cells[2]).toBe("registered");
});
