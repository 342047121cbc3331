// @vitest-environment jsdom
import { useRouter } from "@tanstack/react-router";
import { act } from "react";
import { expect, it } from "vitest";
import { BaselineButton } from "../../components/controls/BaselineButton";
import { useMarks } from "../../components/hooks/useMarks";
import { drawn } from "../../testing/page";
import { useListBaseline } from "./useListBaseline";

const KEY = "ringscope-marked-jobs";

/** The baseline that is shown, the address, a button of the list, and one of any other page. */
function Shown() {
  const [baseline, put] = useListBaseline();
  const [marks, setMarks] = useMarks();
  const { href } = useRouter().state.location;
  return (
    <>
      <output>{`${baseline} at ${href}`}</output>
      <BaselineButton id={7} shown={baseline} onChange={put} />
      <button type="button" onClick={() => setMarks({ ...marks, baseline: 9 })}>elsewhere</button>
    </>
  );
}

const shown = (page: HTMLElement): string => page.querySelector("output")?.textContent ?? "";

async function press(page: HTMLElement, index: number): Promise<void> {
  await act(async () => page.querySelectorAll("button")[index]?.click());
}

it("names the browser's own baseline in the address, and follows it", async () => {
  localStorage.setItem(KEY, JSON.stringify({ pinned: [], baseline: 5 }));
  const page = await drawn(<Shown />, "/jobs?q=x");
  expect(shown(page)).toBe("5 at /jobs?q=x&base=5");
  await press(page, 1);
  expect(shown(page)).toBe("9 at /jobs?q=x&base=9");
});

it("shows what a shared address names, until another one is chosen here", async () => {
  localStorage.setItem(KEY, JSON.stringify({ pinned: [], baseline: 5 }));
  const page = await drawn(<Shown />, "/jobs?base=3");
  expect(shown(page)).toBe("3 at /jobs?base=3");
  await press(page, 0);
  expect(shown(page)).toBe("7 at /jobs?base=7");
  await press(page, 0);
  expect(shown(page)).toBe("null at /jobs");
});
