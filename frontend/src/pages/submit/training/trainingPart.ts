/** The props of the parts of the training form. */
import type { Engine } from "../../../api/types";
import type { Problems } from "../../../lib/form/types";
import type { TrainingField, TrainingForm } from "../../../lib/form/trainingForm";
import { type Bind, type Bound, choices as options } from "../bind";

export interface TrainingPart {
  form: TrainingForm;
  /** The default form. */
  standard: TrainingForm;
  problems: Problems;
  choices: Engine["training"];
  bind: Bind<TrainingField>;
  onChange: (field: TrainingField, value: string) => void;
}

/** The props of a select for a field that takes one of a few words. */
export function select({ form, choices, bind }: TrainingPart, field: TrainingField): Bound & { data: string[] } {
  const words = field === "model" ? Object.keys(choices.models) : field === "dataset" ? choices.datasets : choices.fields[field];
  return { data: options(words ?? [], form[field]), ...bind(field) };
}
