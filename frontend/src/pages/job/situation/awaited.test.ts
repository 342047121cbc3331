import { expect, it } from "vitest";
import type { MemberView } from "../../../api/types";
import { aMember } from "../../../testing/fixtures";
import { awaited } from "./awaited";

function aGang(...phases: MemberView["phase"][]): MemberView[] {
  return phases.map((phase, index) => aMember({ node: `h${index + 1}`, phase }));
}

it("names the nodes for which the others wait", () => {
  expect(awaited(aGang("ready", "assigned", "ready"))).toBe("node h2 of 3 to be ready");
  expect(awaited(aGang("ready", "assigned", "assigned"))).toBe("2 of 3 nodes to be ready: h2, h3");
  expect(awaited(aGang("running", "ready"))).toBe("node h2 of 2 to start ranks");
  expect(awaited(aGang("assigned"))).toBe("node h1 to be ready");
  expect(awaited(aGang("running", "running"))).toBe("");
  expect(awaited([])).toBe("");
});

it("does not name a hundred nodes", () => {
  expect(awaited(aGang(...Array<"assigned">(100).fill("assigned")))).toBe(
    "100 of 100 nodes to be ready: h1, h2, h3, h4 +96",
  );
});
