import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { PageSkeleton } from "./Skeleton";

it("names the loading page for screen readers", () => {
  expect(renderToStaticMarkup(<PageSkeleton title="Job 7" />)).toContain("Job 7</h1>");
});
