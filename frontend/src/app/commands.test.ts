import { expect, it, vi } from "vitest";
import { SECTIONS } from "../lib/sections";
import { found } from "./palette";
import { deedsHere, linksCommand, settingsCommands, themeCommands } from "./commands";

it("finds the sections of the settings that the user may see, by their name and as settings", () => {
  const go = vi.fn();
  const titles = (text: string, isAdmin: boolean): string[] => found(settingsCommands(go, isAdmin), text).map(({ title }) => title);
  expect(titles("settings", true)).toEqual(SECTIONS.map(({ title }) => title));
  expect([titles("audit", false), titles("webhooks", false), titles("webhooks", true)]).toEqual([["Audit"], [], ["Webhooks"]]);
  settingsCommands(go, false)[0]?.run();
  expect(go).toHaveBeenCalledWith("/settings/schedules");
});

it("finds the links between nodes by what one would do with them", () => {
  const go = vi.fn();
  for (const text of ["link", "measure links", "nodes link"]) found([linksCommand(go)], text)[0]?.run();
  expect(go.mock.calls).toEqual([["/nodes#links"], ["/nodes#links"], ["/nodes#links"]]);
});

it("has a theme for each word that one thinks of", () => {
  const choose = vi.fn();
  for (const text of ["dark", "light", "system theme"]) found(themeCommands(choose), text)[0]?.run();
  expect(choose.mock.calls).toEqual([["dark"], ["light"], ["auto"]]);
});

it("offers what the open page can do, with and without a key, and no more", () => {
  const [cancel, compare, next] = [vi.fn(), vi.fn(), vi.fn()];
  const deeds = deedsHere((action) => ({ cancel, compare, next, help: next })[action as string]);
  expect(deeds.map(({ title, key }) => [title, key])).toEqual([["Cancel …", undefined], ["Compare the chosen jobs", "c"]]);
  found(deeds, "cancel")[0]?.run();
  expect(cancel).toHaveBeenCalledOnce();
  expect(deedsHere(() => undefined)).toEqual([]);
});
