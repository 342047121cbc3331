// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { NotChosen } from "./NotChosen";

function shown(id: string | undefined, items: { id: number }[] | undefined): string {
  const html = renderToStaticMarkup(
    <MantineProvider>
      <NotChosen noun="schedule" id={id} items={items} command="ringscope schedules" />
    </MantineProvider>,
  );
  return html.replace(/<style.*?<\/style>/g, "").replace(/<[^>]*>/g, "").trim();
}

it("says that what the address names is not there, as soon as that is known", () => {
  expect(shown("99", [{ id: 1 }])).toMatch(/^There is no schedule 99: it was removed, or there never was one.ringscope schedules/);
  expect(shown("99", [])).toBe("There is no schedule 99: it was removed, or there never was one.");
  expect(shown("99", undefined)).toBe("");
});

it("has the line for a terminal where none is asked for, and leaves it to the one that is shown", () => {
  expect(shown(undefined, [{ id: 1 }])).toBe(`ringscope schedules --url ${window.location.origin}Copy`);
  expect(shown("1", [{ id: 1 }])).toBe("");
});
