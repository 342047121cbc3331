import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { standardTraining } from "../../../lib/form/trainingForm";
import { trainingChoices } from "../../../testing/fixtures";
import { TrainingPreview } from "./TrainingPreview";

it.each([
  [{ epochs: "10" }, "10 epochs"],
  [{ epochs: "10", max_steps: "60" }, "at most 60 stepsor 10 epochs, if that is less; "],
  [{ epochs: "1", max_steps: "1" }, "at most 1 stepor 1 epoch, if that is less; "],
  [{ epochs: "10", max_steps: "many" }, "10 epochs"],
  [{ epochs: "0" }, "These fields do not describe training yet."],
])("says first what limits the training: %o", (fields, words) => {
  const choices = trainingChoices();
  const html = renderToStaticMarkup(<TrainingPreview form={{ ...standardTraining(choices), ...fields }} choices={choices} />);
  expect(html.replaceAll(/<[^>]+>/g, "").startsWith(words)).toBe(true);
});
