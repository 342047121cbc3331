// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { type Field, type JobForm, STANDARD, SWEEP_FIELDS } from "../../lib/form/form";
import { Advanced } from "./Advanced";
import { binder } from "./bind";

const nothing = () => undefined;

function shown(change: Partial<JobForm>): string {
  const form = { ...STANDARD, cycles: "2", ...change }; // a change opens the group
  const bind = binder<Field>(SWEEP_FIELDS, form, {}, nothing);
  return renderToStaticMarkup(
    <MantineProvider>
      <Advanced form={form} problems={{}} bind={bind} onChange={nothing} />
    </MantineProvider>,
  );
}

it("asks what NCCL should know of the buffers where it may move the data, or the choice was made", () => {
  const asks = (change: Partial<JobForm>): boolean => shown(change).includes('name="registration"');
  expect([asks({}), asks({ transport: "mpi", device: "cuda" }), asks({ transport: "simulated", registration: "1" })]).toEqual([false, false, false]);
  expect([asks({ transport: "nccl" }), asks({ device: "cuda" }), asks({ transport: "mpi", registration: "1" })]).toEqual([true, true, true]);
});
