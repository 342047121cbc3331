// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { act, useState } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { searchChoices } from "../../../testing/fixtures";
import { drawn } from "../../../testing/page";
import { Candidates } from "./Candidates";
import { CandidatesHere } from "./PreviewedSearch";

const { candidates } = searchChoices();

function Field() {
  const [value, setValue] = useState("all");
  return (
    <>
      <output>{value}</output>
      <Candidates candidates={candidates} value={value} problem={undefined} onChange={setValue} />
    </>
  );
}

it("takes a candidate out of all and puts it back", async () => {
  const page = await drawn(<Field />, "/jobs");
  const boxes = [...page.querySelectorAll<HTMLInputElement>("input[name=strategies]")];
  expect(boxes.map(({ value, checked }) => [value, checked])).toEqual(candidates.map(({ name }) => [name, true]));
  const text = () => page.querySelector("output")?.textContent;
  await act(async () => boxes[1]?.click());
  expect(text()).toBe("mirrored-auto,torch_ddp");
  await act(async () => boxes[1]?.click());
  expect(text()).toBe("all");
  await act(async () => page.querySelector("button")?.click());
  expect([text(), page.querySelector("button")?.textContent]).toEqual(["", "Choose all"]);
});

it("names the candidates that cannot run here, with their reasons", () => {
  const found = { candidates: ["mirrored-auto", "torch_ddp"], left_out: [{ name: "pipeline", reason: "Too few layers." }], nodes: [{ node: "n1", ranks: 2 }], warnings: [] };
  const html = renderToStaticMarkup(
    <MantineProvider>
      <CandidatesHere found={found} />
    </MantineProvider>,
  );
  expect(html.replaceAll(/<style[^]*?<\/style>/g, "").replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ").trim()).toBe(
    "Can run here 2 candidates Nodes n1 (2 ranks) 1 candidate left out here pipeline : Too few layers.",
  );
});
