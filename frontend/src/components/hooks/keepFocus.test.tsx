// @vitest-environment jsdom
import { act, useState } from "react";
import { expect, it } from "vitest";
import { drawn } from "../../testing/page";
import { passesFocus } from "./keepFocus";

function Waiting() {
  const [isWaiting, setWaiting] = useState(true);
  return (
    <div id="content" tabIndex={-1}>
      <button id="start" onClick={() => setWaiting(false)}>Start</button>
      {isWaiting && <button id="hold" ref={passesFocus}>Hold</button>}
    </div>
  );
}

it.each([["hold", "content"], ["start", "start"], ["nothing", ""]])("of %s, when another control goes, it is at %s", async (focused, then) => {
  const page = await drawn(<Waiting />, "/");
  page.querySelector<HTMLElement>(`#${focused}`)?.focus();
  await act(async () => page.querySelector<HTMLElement>("#start")?.click());
  expect(page.querySelector("#hold")).toBeNull();
  expect(document.activeElement?.id).toBe(then);
});
