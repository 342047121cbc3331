import { expect, it } from "vitest";
import { clockOf, cronOf, hourAndMinute, REPEATS, type Times, timesOf } from "./cron";

it("reads back every expression that it writes", () => {
  for (const repeat of Object.keys(REPEATS) as Times["repeat"][]) {
    const times: Times = { repeat, step: 20, minute: 5, hour: 23, weekday: "SUN" };
    const cron = cronOf(times);
    if (repeat === "cron") expect(cron).toBeNull();
    else expect(cronOf(timesOf(cron ?? ""))).toBe(cron);
    expect(timesOf(cron ?? "").repeat).toBe(repeat);
  }
  expect(cronOf({ ...timesOf("30 2 * * MON-FRI"), repeat: "day" })).toBe("30 2 * * *");
});

it("knows other spellings of the usual times", () => {
  expect(timesOf(" * * * * * ")).toMatchObject({ repeat: "minutes", step: 1 });
  expect(timesOf("0 2 * * 1-5").repeat).toBe("weekday");
  expect([timesOf("0 2 * * 0").weekday, timesOf("0 2 * * 7").weekday, timesOf("0 2 * * wed").weekday]).toEqual(["SUN", "SUN", "WED"]);
});

it("leaves every other expression as it is", () => {
  for (const cron of ["", "0 2 * *", "*/7 * * * *", "0 2 1 * *", "0 2 * JAN *", "61 2 * * *", "0 24 * * *", "0 2 * * MON,WED", "0 */6 * * *"]) {
    expect([cron, timesOf(cron).repeat]).toEqual([cron, "cron"]);
  }
});

it("converts the text of a time field", () => {
  expect(clockOf({ hour: 2, minute: 5 })).toBe("02:05");
  expect(hourAndMinute("23:45")).toEqual({ hour: 23, minute: 45 });
  expect(hourAndMinute("")).toEqual({});
});
