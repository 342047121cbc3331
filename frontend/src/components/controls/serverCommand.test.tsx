// @vitest-environment jsdom
import { expect, it } from "vitest";
import { meQuery } from "../../data/server";
import { Answers, drawn } from "../../testing/page";
import { NoNodes } from "../states/NoNodes";
import { ServerCommand } from "./ServerCommand";

const me = (role: "admin" | "viewer", command: string | null): Answers => new Answers().of(meQuery, { name: "ada", role, command });

async function shown(answers?: Answers): Promise<HTMLElement> {
  return drawn(<ServerCommand text={["ringscope nodes", "ringscope jobs"]} />, "/", answers);
}

it("has the path of the program on the server's own machine, and nothing more to say", async () => {
  const page = await shown(me("admin", "RINGSCOPE_DATA_DIR=/srv/rs /v/ringscope"));
  const each = (noun: string): string => `RINGSCOPE_DATA_DIR=/srv/rs /v/ringscope ${noun} --url ${window.location.origin}`;
  expect(page.querySelector("pre")?.textContent).toBe(`${each("nodes")} && ${each("jobs")}`);
  expect(page.querySelector("p")).toBeNull();
});

it("says elsewhere what it needs, and where a token is made", async () => {
  const page = await shown(me("admin", null));
  expect(page.querySelector("pre")?.textContent).toMatch(/^ringscope nodes --url /);
  expect(page.querySelector("p")?.textContent).toBe("Needs ringscope and RINGSCOPE_TOKEN: make a token.");
  expect(page.querySelector("p a")?.getAttribute("href")).toBe("/settings/tokens");
});

it("has no link to pages that only admins may open", async () => {
  const page = await shown(me("viewer", null));
  expect(page.querySelector("p")?.textContent).toContain("an administrator makes a token");
  expect(page.querySelector("a")).toBeNull();
});

it("asks for nothing before the user is known", async () => {
  expect((await shown()).querySelector("p")).toBeNull();
});

it("makes the token for nodes with the same program", async () => {
  const page = await drawn(<NoNodes />, "/", me("admin", "/v/ringscope"));
  expect(page.querySelector("pre")?.textContent).toMatch(/^\/v\/ringscope token add nodes .*\npip install .*\nringscope agent /);
});
