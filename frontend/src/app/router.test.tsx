// @vitest-environment jsdom
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { router } from "./router";

it("shows a skeleton if a page's code is not there after 200 ms, and at once then", () => {
  const { defaultPendingMs, defaultPendingMinMs, defaultPendingComponent: Pending } = router.options;
  expect([defaultPendingMs, defaultPendingMinMs]).toEqual([200, 200]);
  expect(renderToStaticMarkup(Pending ? <Pending /> : null)).toMatch(/^<div class="page \S*due/);
});
