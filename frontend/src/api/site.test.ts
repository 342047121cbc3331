import { expect, it } from "vitest";
import { rootOf } from "./site";

it("follows from the address of the build's script", () => {
  expect(rootOf("https://host/assets/index-1.js")).toBe("");
  expect(rootOf("https://host:8443/ringscope/assets/index-1.js?v")).toBe("/ringscope");
  expect(rootOf("https://host/a/b/assets/index-1.js")).toBe("/a/b");
});
