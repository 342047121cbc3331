import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { aPoint, someBuckets } from "../../../testing/resultFixtures";
import { BucketLanes } from "./BucketLanes";
import { BucketTable } from "./BucketTable";
import { CurveTable } from "./CurveTable";

const text = (html: string): string => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

it("draws a lane for each rank and a bar for each sum, and says the same in a table", () => {
  const lanes = renderToStaticMarkup(<BucketLanes ranks={someBuckets()} />);
  expect(lanes).toContain('aria-hidden="true"');
  expect(text(lanes)).toMatch(/rank 0 .*rank 1/);
  expect(lanes.match(/<title>Bucket \d, /g)).toHaveLength(3);
  const table = renderToStaticMarkup(<BucketTable ranks={someBuckets()} />);
  expect(text(table)).toContain(" 0 9 1 2 KiB 0.390 0.460 0.800 0.400 ");
  expect(text(table)).toContain(" 1 9 0 3 KiB 0.490 0.500 1.00 0.500 ");
});

it("tells the sum of a bucket from the all-gather of its parameters in a sharded step", () => {
  const lanes = renderToStaticMarkup(<BucketLanes ranks={someBuckets().slice(0, 1)} summed="shares" />);
  expect(lanes.match(/<title>[^<]*/g)).toEqual(["<title>Bucket 0, 1 KiB", "<title>Bucket 0, parameters, 2 KiB"]);
  expect(text(lanes)).toContain("all-gather of its parameters");
  const table = renderToStaticMarkup(<BucketTable ranks={someBuckets().slice(0, 1)} summed="shares" />);
  expect(text(table)).toContain(" 0 9 0, parameters 2 KiB ");
});

it("calls an average an average where a strategy averages parameters", () => {
  const lanes = renderToStaticMarkup(<BucketLanes ranks={someBuckets()} summed="parameters" />);
  expect(text(lanes)).toContain("average of a bucket");
  expect(text(lanes)).not.toContain("sum");
  const table = renderToStaticMarkup(<BucketTable ranks={someBuckets()} summed="parameters" />);
  expect(text(table)).toContain("Average began (ms)");
});

it("says in the curve's table that training diverged", () => {
  const rows = [aPoint({ last_step: 0, duration_us: 1000 }), aPoint({ first_step: 1, last_step: 9, loss: null, samples_per_second: null })];
  const table = text(renderToStaticMarkup(<CurveTable points={rows} isScript={false} />));
  expect(table).toContain(" 0 1.00 1,000 1.00 ");
  expect(table).toContain(" 1 – 9 diverged – 0.100 ");
  const silent = rows.map((row) => ({ ...row, loss: null }));
  expect(text(renderToStaticMarkup(<CurveTable points={silent} isScript />))).not.toMatch(/Loss |diverged/);
});
