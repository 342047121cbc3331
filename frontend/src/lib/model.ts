/** A model of a training job: a name, or a function in a file of one's own, written FILE.py:FUNCTION. */
import type { JobSpec } from "../api/types";

export type Model = NonNullable<JobSpec["training"]>["model"];
type Dataset = NonNullable<JobSpec["training"]>["dataset"];

/** The model as the command line takes it. */
export function modelText(model: Model): string {
  return typeof model === "string" ? model : `${model.file}:${model.build}`;
}

/** The dataset as the command line takes it. */
export function datasetText({ name, file, load }: Dataset): string {
  return file == null ? name : `${file}:${load}`;
}

/** The object of FILE.py:FUNCTION; null for the name of a model. A text that ends with a colon has no function yet. */
export function ownModel(text: string): { file: string; build?: string } | null {
  if (!isOwn(text)) return null;
  const [file = "", build = ""] = text.split(":");
  return build === "" ? { file } : { file, build };
}

/** Whether the text names a file: an unfinished one has a colon already, so that its inputs stay on the page. */
export function isOwn(text: string): boolean {
  return text.includes(":") || text.endsWith(".py");
}
