// @vitest-environment jsdom
import { act } from "react";
import { expect, it, onTestFinished, vi } from "vitest";
import { aBest, aJob, anAttempt } from "../../testing/fixtures";
import { drawn } from "../../testing/page";
import { Caveat } from "./Caveat";
import { JobsTable } from "../jobs/JobsTable";
import { Reasons } from "./Reasons";

const press = (key: string, more: KeyboardEventInit = {}): Promise<void> =>
  act(async () => void document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more })));
const point = (kind: string, at: Element, pointerType: string): Promise<void> =>
  act(async () => void at.dispatchEvent(new PointerEvent(kind, { bubbles: true, pointerType })));

async function marked() {
  const page = await drawn(<><Caveat word="disturbed" why="Job 9 ran there." /> <Caveat word="unstable" why="It varies." /><p>text</p><Reasons /></>, "/");
  const [tip, text, first, second] = ["#reason", "p", "button", "button + button"].map((what) => page.querySelector<HTMLElement>(what));
  if (!tip || !text || !first || !second) throw new Error("the page has all of them");
  return { text, first, second, tip, shown: () => (tip.hidden ? null : tip.textContent) };
}

it("shows the reason on focus until the focus leaves or Escape is pressed, and again on a press", async () => {
  const { first, second, shown } = await marked();
  expect(shown()).toBeNull();
  expect([first.textContent, first.getAttribute("aria-description"), first.tabIndex]).toEqual(["disturbed", "Job 9 ran there.", 0]);
  await act(async () => first.focus());
  expect(shown()).toBe("Job 9 ran there.");
  await act(async () => second.focus());
  expect(shown()).toBe("It varies.");
  await press("Escape");
  expect(shown()).toBeNull();
  await act(async () => second.click());
  expect(shown()).toBe("It varies.");
});

it("shows the reason to a resting mouse, which may move into it, and to a finger until that presses elsewhere", async () => {
  const { first, text, tip, shown } = await marked();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  await point("pointerover", first, "mouse");
  await point("pointerover", text, "mouse");
  await act(async () => vi.advanceTimersByTime(1000));
  expect(shown(), "to one that only crosses it").toBeNull();
  await point("pointerover", first, "mouse");
  await act(async () => vi.advanceTimersByTime(1000));
  expect(shown()).toBe("Job 9 ran there.");
  await point("pointerover", tip, "mouse");
  expect(shown()).toBe("Job 9 ran there.");
  await point("pointerover", text, "mouse");
  expect(shown()).toBeNull();
  await point("pointerdown", first, "touch");
  await point("pointerover", text, "touch");
  expect(shown()).toBe("Job 9 ran there.");
  await point("pointerdown", text, "touch");
  expect(shown()).toBeNull();
});

it("follows a mark that changes, and goes with one that goes", async () => {
  const { first, shown } = await marked();
  await act(async () => first.focus());
  await act(async () => first.setAttribute("aria-description", "Job 10 ran there."));
  expect(shown()).toBe("Job 10 ran there.");
  const other = document.createElement("i");
  await act(async () => first.replaceWith(other));
  expect(shown()).toBeNull();
  other.replaceWith(first);
});

it("is one stop of Tab in a table, where arrows lead from mark to mark", async () => {
  const page = await drawn(
    <>
      <table>
        <tbody>
          {["1 KiB", "2 KiB", "4 KiB"].map((size) => (
            <tr key={size}>
              <td>{size}<Caveat word="unstable" why={`At ${size} it varies.`} /></td>
            </tr>
          ))}
        </tbody>
      </table>
      <Caveat word="disturbed" why="Job 9 ran there." />
      <Reasons />
    </>,
    "/",
  );
  const marks = [...page.querySelectorAll<HTMLElement>("[data-reason]")];
  const stops = (): number[] => marks.map(({ tabIndex }) => tabIndex);
  expect(stops()).toEqual([0, 0, 0, 0]);
  await act(async () => marks[2]?.focus()); // by Shift Tab, from below
  expect(stops()).toEqual([-1, -1, 0, 0]);
  await press("ArrowRight");
  expect(document.activeElement).toBe(marks[2]);
  await press("ArrowLeft");
  expect([document.activeElement === marks[1], stops(), page.querySelector("#reason")?.textContent]).toEqual([true, [-1, 0, -1, 0], "At 2 KiB it varies."]);
  await act(async () => marks[3]?.focus());
  expect(stops(), "whichever of them goes, the others are reached").toEqual([0, 0, 0, 0]);
  await press("ArrowLeft");
  expect(document.activeElement).toBe(marks[3]);
});

it("leads by arrows from a row's link through its marks and back, and stops at none of them by Tab", async () => {
  const { summary } = aJob();
  const disturbed = aJob({ id: 3, state: "succeeded", summary: { ...summary, best: [aBest()] }, attempts: [anAttempt({ disturbed_by: "Job 9 ran there." })] });
  vi.stubGlobal("scrollBy", () => undefined);
  const page = await drawn(<><JobsTable jobs={[disturbed]} /><Reasons /></>, "/jobs");
  // Rows are drawn with the next frame, or at once for the key that moves to them.
  await press("j");
  const sign = page.querySelector<HTMLElement>("tbody button");
  expect([sign?.tabIndex, sign?.getAttribute("aria-label")]).toEqual([-1, "disturbed"]);
  const link = page.querySelector("tbody a");
  expect(document.activeElement).toBe(link);
  await press("ArrowLeft");
  await press("ArrowRight", { altKey: true });
  expect(document.activeElement).toBe(link);
  await press("ArrowRight");
  expect(document.activeElement).toBe(sign);
  expect(page.querySelector("#reason")?.textContent).toBe("disturbed: Job 9 ran there. It comes after undisturbed jobs and counts less in baselines.");
  await press("ArrowLeft");
  expect(document.activeElement).toBe(link);
});
