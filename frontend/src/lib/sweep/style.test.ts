import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import openapi from "../../../openapi.json";
import { colourToken, dashOf, widthOf } from "./style";

describe("the look of a line", () => {
  const algorithms = openapi.components.schemas.BenchmarkSpec.properties.algorithms.items.enum;
  const tokens = readFileSync(`${process.cwd()}/src/app/tokens.css`, "utf8");
  const light = new Map([...tokens.matchAll(/(--algorithm-\w+): (.*);/g)].reverse().map((match) => [match[1], match[2]]));

  it("differs for every algorithm that the engine has, in colour or pattern", () => {
    const looks = algorithms.map((name) => {
      const value = light.get(colourToken(name));
      const colour = light.get(/var\((.*)\)/.exec(value ?? "")?.[1]) ?? value;
      return `${colour} ${dashOf(name).join()}`;
    });
    expect(looks.filter((look) => look.startsWith("undefined"))).toEqual([]);
    expect(new Set(looks).size).toBe(algorithms.length);
  });

  it("is thinner in place", () => expect(widthOf(true)).toBeLessThan(widthOf(false)));
});
