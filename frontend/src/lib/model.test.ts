import { expect, it } from "vitest";
import { datasetText, modelText } from "./model";

it("writes a model and a dataset as the command line takes them", () => {
  expect(modelText("gpt")).toBe("gpt");
  expect(modelText({ file: "a/my_model.py", build: "make" })).toBe("a/my_model.py:make");
  expect(datasetText({ name: "digits", file: null, load: "load" } as never)).toBe("digits");
  expect(datasetText({ name: "own", file: "my_data.py", load: "pairs" } as never)).toBe("my_data.py:pairs");
});
