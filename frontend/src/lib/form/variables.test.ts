import { expect, it } from "vitest";
import { variableFlags, variablesFrom, variablesProblem, variablesText } from "./variables";

it("reads a variable from each line and writes the same text", () => {
  const text = "NCCL_ALGO=Ring\nMKL_X=a=b";
  expect(variablesFrom(`${text}\n\n`)).toEqual({ NCCL_ALGO: "Ring", MKL_X: "a=b" });
  expect(variablesText(variablesFrom(text) ?? {})).toBe(text);
});

it("keeps a value with a line break as long as nobody changes the text", () => {
  const before = { UCX_A: "1\n2" };
  expect(variablesFrom(variablesText(before), before)).toBe(before);
  expect(variablesFrom("")).toBeUndefined();
});

it("says how a line is written", () => {
  expect(variablesProblem("NCCL_ALGO=Ring\n\nOMP_NUM_THREADS=")).toBeNull();
  expect(variablesProblem("NCCL_ALGO")).toContain("NAME=value");
  expect(variablesProblem("a b=1")).toContain("NAME=value");
});

it("leaves the values of secrets out of a command", () => {
  expect(variableFlags({ NCCL_ALGO: "Ring", HF_TOKEN: "hf_1", UCX_X: "[removed]" })).toEqual(["--env", "NCCL_ALGO=Ring", "--env", "HF_TOKEN", "--env", "UCX_X"]);
  expect(variableFlags(undefined)).toEqual([]);
});
