// @vitest-environment jsdom
import { act, useState } from "react";
import { expect, it, vi } from "vitest";
import { exampleQuery } from "../data/planning";
import { engineQuery } from "../data/server";
import { aRingOfThree } from "../testing/exampleFixture";
import { anEngine } from "../testing/fixtures";
import { exampleQuestion, ringForm } from "../lib/form/ringForm";
import { RingPage } from "../pages/ring/RingPage";
import { Answers, drawn } from "../testing/page";
import { KeyHelp } from "./KeyHelp";

vi.mock("../data/live", () => ({ useTopic: () => undefined }));

function Helped() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <RingPage />
      <button type="button" id="help" onClick={() => setOpen(true)}>?</button>
      <KeyHelp isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

it("lists the keys of the page's player", async () => {
  HTMLDialogElement.prototype.showModal ??= () => undefined;
  const known = new Answers().of(engineQuery, anEngine()).of(exampleQuery(exampleQuestion(ringForm({}))), aRingOfThree());
  const page = await drawn(<Helped />, "/ring", known);
  await act(async () => page.querySelector<HTMLElement>("#help")?.click());
  const keys = [...page.querySelectorAll("kbd")].map(({ textContent }) => textContent);
  expect(keys).toEqual(expect.arrayContaining(["Space", "← →", "Shift ← →", "Home End"]));
});
