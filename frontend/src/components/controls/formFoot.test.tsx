// @vitest-environment jsdom
import { expect, it, vi } from "vitest";
import { drawn } from "../../testing/page";
import { FormFoot } from "./FormFoot";

const children = (page: HTMLElement): string[] => [...(page.querySelector("form > div") as HTMLElement).children].map(({ textContent }) => textContent);

it("has the error, the buttons, what follows and the commands, in this order", async () => {
  const page = await drawn(
    <form>
      <FormFoot submit="Make token" failed="The token was not made" error={new Error("There is one with this name.")} onCancel={vi.fn()} same={<code>ringscope token add ci</code>}>
        <p>It never expires.</p>
      </FormFoot>
    </form>,
    "/",
  );
  expect(children(page)).toEqual([
    expect.stringContaining("The token was not made. There is one with this name.CancelMake token"),
    "It never expires.",
    "The same as a commandringscope token add ci",
  ]);
});

it("says at the button which fields are wrong, and leaves the commands out where there are none", async () => {
  const page = await drawn(<form><FormFoot submit="Submit the job" wrong="Fix the marked field: Ranks." /></form>, "/");
  const button = page.querySelector("button[type=submit]") as HTMLButtonElement;
  expect(document.getElementById(button.getAttribute("aria-describedby") ?? "")?.textContent).toBe("Fix the marked field: Ranks.");
  expect(button.disabled).toBe(false);
  expect(page.querySelector("details")).toBeNull();
});
