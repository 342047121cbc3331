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
