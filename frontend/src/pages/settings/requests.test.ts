import { expect, it } from "vitest";
import { sameSchedule, sameToken, sameWebhook } from "./requests";

it("gives the command and the request that do the same as the form", () => {
  const webhook = { name: "ops", url: "https://h/x?a=1&b", events: "job.failed job.succeeded" };
  expect(sameWebhook(webhook, "http://h:1")?.command).toBe("ringscope webhook add ops 'https://h/x?a=1&b' --event job.failed --event job.succeeded");
  expect(sameWebhook(webhook, "http://h:1")?.curl).toMatch(/^curl -X POST http:\/\/h:1\/api\/v1\/webhooks .*"events":\["job.failed","job.succeeded"\]}'$/s);
  const token = { name: "ci", kind: "personal", role: "operator", note: "for CI", days: "30" };
  expect(sameToken(token, "http://h:1")?.command).toBe("ringscope token add ci --role operator --days 30 --note 'for CI'");
  expect(sameToken({ name: "n", kind: "agent", node: "a" }, "")?.command).toBe("ringscope token add n --kind agent --node a");
  expect(sameSchedule({ name: "nightly", cron: "0 2 * * *", timezone: "UTC", overlap: "queue", job: "9" })?.command).toBe(
    "ringscope schedule add nightly '0 2 * * *' --job 9 --timezone UTC --overlap queue",
  );
  expect(sameSchedule({ name: "nightly", cron: "0 2 * * *", job: "7", drain: "10" })?.command).toBe(
    "ringscope schedule add nightly '0 2 * * *' --job 7 --drain-on-blame 10%",
  );
});

it("gives none while the fields do not say what is to be made", () => {
  expect([sameWebhook({ name: "ops", url: "https://h", events: "" }, ""), sameToken({ kind: "join" }, ""), sameSchedule({ name: "n", spec: "{}" })]).toEqual([
    undefined, undefined, undefined,
  ]);
});
