// @vitest-environment jsdom
import { expect, it } from "vitest";
import type { JobView } from "../../api/types";
import { aJob, aTraining } from "../../testing/fixtures";
import { drawn } from "../../testing/page";
import { SelectionBar } from "./SelectionBar";

async function comparing(ids: readonly number[], jobs: readonly JobView[], base: number | null) {
  const page = await drawn(<SelectionBar ids={ids} jobs={jobs} base={base} onBase={() => undefined} onClear={() => undefined} />, "/jobs");
  const link = page.querySelector("a");
  return [link?.textContent, link?.getAttribute("href")];
}

const [base, first, second] = [5, 7, 9].map((id) => aJob({ id })) as [JobView, JobView, JobView];

it("compares with the base job of the list, which it names", async () => {
  expect(await comparing([7], [base, first], 5)).toEqual(["Compare 1 job with ★ job 5", "/compare?ids=5,7"]);
  expect(await comparing([7, 9], [base, first, second], 9)).toEqual(["Compare 2 jobs", "/compare?ids=7,9&base=9"]);
  expect(await comparing([7, 9], [first, second], null)).toEqual(["Compare 2 jobs", "/compare?ids=7,9"]);
});

it("leaves out a base job of another kind, which has nothing to compare", async () => {
  expect(await comparing([7, 9], [aTraining({ id: 5 }), first, second], 5)).toEqual(["Compare 2 jobs", "/compare?ids=7,9"]);
});
