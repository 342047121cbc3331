import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

const BLOCK = /^(:root[^{]*)\{([^}]*)\}/gm;
const TOKEN = /--([\w-]+):\s*([^;]+);/g;
/** WCAG 2.2, 1.4.3 and 1.4.11. */
const TEXT_RATIO = 4.5;
const MARK_RATIO = 3;

const css = readFileSync(resolve(import.meta.dirname, "tokens.css"), "utf8");
const [light, onlyDark] = [...css.matchAll(BLOCK)].map(([, , body = ""]) =>
  Object.fromEntries([...body.matchAll(TOKEN)].map(([, name, value]) => [name, value]))) as Record<string, string>[];
const SCHEMES = { light: light ?? {}, dark: { ...light, ...onlyDark } };

type Scheme = Record<string, string>;

/** The relative luminance of a token's colour, as WCAG defines it. */
function luminance(scheme: Scheme, name: string): number {
  const value = scheme[name] ?? "";
  const other = /^var\(--(.+)\)$/.exec(value)?.[1];
  if (other) return luminance(scheme, other);
  const parts = /^#(..)(..)(..)$/.exec(value)?.slice(1);
  if (!parts) throw new Error(`--${name} is no colour: ${value}`);
  const [red = 0, green = 0, blue = 0] = parts.map((part) => {
    const share = parseInt(part, 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(scheme: Scheme, one: string, other: string): number {
  const [dark = 0, bright = 0] = [luminance(scheme, one), luminance(scheme, other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

/** The pairs with less contrast, each with its contrast. */
function tooFaint(scheme: Scheme, pairs: readonly (readonly [string, string])[], least: number): string[] {
  return pairs
    .map(([one, other]) => ({ words: `--${one} on --${other}`, ratio: contrast(scheme, one, other) }))
    .filter(({ ratio }) => ratio < least)
    .map(({ words, ratio }) => `${words}: ${ratio.toFixed(2)}`);
}

const GROUNDS = ["page", "surface"] as const;
const WORDS = ["text", "dim", "accent", "waiting", "busy", "good", "bad", "warn"] as const;
const BADGES = ["accent", "waiting", "busy", "good", "bad", "warn"] as const;

describe.each(Object.entries(SCHEMES))("in the %s scheme", (_, scheme) => {
  const named = (...prefixes: string[]) =>
    Object.keys(scheme).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));

  it("text can be read on every ground, a badge's on its own", () => {
    const onGrounds = WORDS.flatMap((word) => GROUNDS.map((ground) => [word, ground] as const));
    const onBadges = BADGES.map((badge) => [badge, `${badge}-soft`] as const);
    const onSunken = ["text", "dim"].flatMap((word) => [[word, "sunken"], [word, "hover"]] as const);
    // Of the parts of a step only a bucket's all-reduce has its number on it.
    const pairs = [...onGrounds, ...onBadges, ...onSunken, ["on-accent", "accent"] as const, ["on-part", "part-exposed"] as const];
    expect(tooFaint(scheme, pairs, TEXT_RATIO)).toEqual([]);
  });

  it("what a chart draws stands out from its background", () => {
    const marks = [...named("algorithm-", "part-", "curve-", "job-"), "line-strong"];
    expect(marks.length).toBeGreaterThan(25);
    expect(tooFaint(scheme, marks.map((mark) => [mark, "surface"] as const), MARK_RATIO)).toEqual([]);
  });
});
