import { describe, expect, it } from "vitest";
import { refusedTexts, SCHEDULE_FIELDS, TOKEN_FIELDS, unreadableTexts, WEBHOOK_FIELDS } from "./settingsForms";

describe("what cannot be read of a form of the settings", () => {
  it("is shown at its field before anything is sent: days that are no number would make a token without an end", () => {
    expect(unreadableTexts(TOKEN_FIELDS, { name: "", kind: "personal", days: "soon" })).toEqual({
      days: "A number is needed, and this is “soon”.",
    });
    expect(unreadableTexts(TOKEN_FIELDS, { name: "ci", kind: "personal", days: "" })).toEqual({});
    expect(unreadableTexts(WEBHOOK_FIELDS, { name: "", url: "" })).toEqual({});
  });

  it("is a specification that is no JSON, unless the number of a job stands for it", () => {
    const { spec } = unreadableTexts(SCHEDULE_FIELDS, { spec: '{"kind": ' });
    expect(spec).toMatch(/^This is no JSON: .+\.$/);
    expect(unreadableTexts(SCHEDULE_FIELDS, { job: "12", spec: "{" })).toEqual({});
    expect(unreadableTexts(SCHEDULE_FIELDS, { job: "last", spec: "{" })).toEqual({
      job: "A whole number is needed, and this is “last”.",
    });
  });
});

describe("what the server refused", () => {
  it("stands at its field, in the form's words", () => {
    const problem = (pointer: string, detail: string) => ({ pointer, detail });
    expect(refusedTexts(TOKEN_FIELDS, [problem("/expires_in_days", "expires_in_days: -3 is too small; give more than 0.")])).toEqual({
      fields: { days: "-3 is too small; give more than 0." },
      other: [],
    });
    expect(refusedTexts(SCHEDULE_FIELDS, [problem("/cron", "cron: '61 2 * * *' has a bad minute.")]).fields).toEqual({
      cron: "'61 2 * * *' has a bad minute.",
    });
    expect(refusedTexts(SCHEDULE_FIELDS, [problem("/spec/placement/ranks", "spec.placement.ranks: 99 are too many.")]).fields).toEqual({
      spec: "placement.ranks: 99 are too many.",
    });
  });

  it("is kept where no field shows it", () => {
    expect(refusedTexts(WEBHOOK_FIELDS, [{ pointer: "/is_enabled", detail: "is_enabled: true or false." }]).other).toEqual(["True or false."]);
  });
});
