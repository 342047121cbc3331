import { describe, expect, it } from "vitest";
import { isCharacter, readStroke, SINGLE_KEYS, type Stroke } from "./keys";

const stroke = (key: string, more: Partial<Stroke> = {}): Stroke => ({
  key,
  isCommand: false,
  isAlt: false,
  isTyping: false,
  ...more,
});

describe("readStroke", () => {
  it("knows every single key", () => {
    for (const [key, [action]] of Object.entries(SINGLE_KEYS)) {
      expect(readStroke(false, stroke(key), true)).toEqual({ isPrefix: false, action });
    }
  });

  it("waits after g for the page, whatever that key means alone", () => {
    expect(readStroke(false, stroke("g"), true)).toEqual({ isPrefix: true, action: null });
    expect(readStroke(true, stroke("j"), true)).toEqual({ isPrefix: false, action: "go:j" });
    expect(readStroke(true, stroke("g"), true).action).toBe("go:g");
  });

  it("leaves letters to fields, and single keys alone where they are switched off", () => {
    expect(readStroke(false, stroke("n", { isTyping: true }), true).action).toBeNull();
    expect(readStroke(false, stroke("n"), false).action).toBeNull();
    expect(readStroke(false, stroke("g"), false).isPrefix).toBe(false);
  });

  it("opens the palette from everywhere, also with caps lock, and takes no other chord", () => {
    for (const key of ["k", "K"]) {
      expect(readStroke(false, stroke(key, { isCommand: true, isTyping: true }), false).action).toBe("palette");
    }
    expect(readStroke(false, stroke("j", { isCommand: true }), true).action).toBeNull();
    expect(readStroke(false, stroke("k", { isCommand: true, isAlt: true }), true).action).toBeNull();
    expect(readStroke(false, stroke("n", { isAlt: true }), true).action).toBeNull();
  });

  it("knows no names of objects as keys", () => expect(readStroke(false, stroke("Enter"), true).action).toBeNull());
});

it("distinguishes keys that write from those that move", () => {
  expect([" ", "t", "?", "ArrowLeft", "Home", "Enter"].map(isCharacter)).toEqual([true, true, true, false, false, false]);
});
