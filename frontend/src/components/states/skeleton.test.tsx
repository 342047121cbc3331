import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { PageSkeleton } from "./Skeleton";

it("says which page is loading, to who hears it", () => {
  expect(renderToStaticMarkup(<PageSkeleton title="Job 7" />)).toContain("Job 7</h1>");
});
