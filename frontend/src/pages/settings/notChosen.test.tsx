// @vitest-environment jsdom
import { expect, it } from "vitest";
import { drawn } from "../../testing/page";
import { NotChosen } from "./NotChosen";

async function shown(id: string | undefined, items: { id: number }[] | undefined): Promise<string> {
  const page = await drawn(<NotChosen noun="schedule" id={id} items={items} command="ringscope schedules" />, "/");
  const copy = page.cloneNode(true) as HTMLElement;
  copy.querySelectorAll("style").forEach((style) => style.remove());
  return copy.textContent?.trim() ?? "";
}

it("says that what the address names is not there, as soon as that is known", async () => {
  expect(await shown("99", [{ id: 1 }])).toMatch(/^There is no schedule 99: it was removed or never existed.ringscope schedules/);
  expect(await shown("99", [])).toBe("There is no schedule 99: it was removed or never existed.");
  expect(await shown("99", undefined)).toBe("");
});

it("has the line for a terminal where none is asked for, and leaves it to the one that is shown", async () => {
  expect(await shown(undefined, [{ id: 1 }])).toBe(`ringscope schedules --url ${window.location.origin}Copy`);
  expect(await shown("1", [{ id: 1 }])).toBe("");
});
