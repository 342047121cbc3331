// @vitest-environment jsdom
import { useRouter } from "@tanstack/react-router";
import { act } from "react";
import { expect, it } from "vitest";
import { BaseButton } from "../../components/controls/BaseButton";
import { useMarks } from "../../components/hooks/useMarks";
import { drawn } from "../../testing/page";
import { useListBase } from "./useListBase";

const KEY = "ringscope-marked-jobs";

/** The shown base, the address, a button of the list, and one of any other page. */
function Shown() {
  const [base, put] = useListBase();
  const [marks, setMarks] = useMarks();
  const { href } = useRouter().state.location;
  return (
    <>
      <output>{`${base} at ${href}`}</output>
      <BaseButton id={7} shown={base} onChange={put} />
      <button type="button" onClick={() => setMarks({ ...marks, base: 9 })}>elsewhere</button>
    </>
  );
}

const shown = (page: HTMLElement): string => page.querySelector("output")?.textContent ?? "";

async function press(page: HTMLElement, index: number): Promise<void> {
  await act(async () => page.querySelectorAll("button")[index]?.click());
}

it("names the browser's own base in the address, and follows it", async () => {
  localStorage.setItem(KEY, JSON.stringify({ pinned: [], base: 5 }));
  const page = await drawn(<Shown />, "/jobs?q=x");
  expect(shown(page)).toBe("5 at /jobs?q=x&base=5");
  await press(page, 1);
  expect(shown(page)).toBe("9 at /jobs?q=x&base=9");
});

it("finds what a browser has kept under the earlier name", async () => {
  localStorage.setItem(KEY, JSON.stringify({ pinned: [], baseline: 4 }));
  expect(shown(await drawn(<Shown />, "/jobs"))).toBe("4 at /jobs?base=4");
});

it("shows what a shared address names, until another one is chosen here", async () => {
  localStorage.setItem(KEY, JSON.stringify({ pinned: [], base: 5 }));
  const page = await drawn(<Shown />, "/jobs?base=3");
  expect(shown(page)).toBe("3 at /jobs?base=3");
  await press(page, 0);
  expect(shown(page)).toBe("7 at /jobs?base=7");
  await press(page, 0);
  expect(shown(page)).toBe("null at /jobs");
});
