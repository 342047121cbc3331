import { expect, it } from "vitest";
import { ownModel } from "./ownModel";

it("reads a file with its function, and leaves the name of a model alone", () => {
  expect(ownModel("mlp")).toBeNull();
  expect(ownModel("my_model.py:make")).toEqual({ file: "my_model.py", build: "make" });
  expect(ownModel("my_model.py")).toEqual({ file: "my_model.py" });
});
