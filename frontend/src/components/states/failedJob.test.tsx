// @vitest-environment jsdom
import { expect, it } from "vitest";
import { ApiError } from "../../api/client";
import { drawn } from "../../testing/page";
import { FailedJob } from "./FailedJob";

it("lists the jobs in a terminal where there is no such one", async () => {
  const missing = new ApiError(404, "not_found", "There is no job 7.", []);
  const page = await drawn(<FailedJob jobId={7} error={missing} onRetry={() => undefined} />, "/jobs/7");
  expect(page.querySelector("h1")?.textContent).toBe("There is no job 7");
  expect(page.querySelector("pre")?.textContent).toMatch(/^ringscope jobs --url http/);
});
