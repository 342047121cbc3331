/** The props of the parts of the training form, some of which a strategy search has, too. */
import type { Engine } from "../../../api/types";
import type { Form, Problems } from "../../../lib/form/types";
import type { TrainingField } from "../../../lib/form/trainingForm";
import { type Bind, type Bound, choices as options } from "../bind";

export interface Part<F extends string> {
  form: Form<F>;
  /** The default form. */
  standard: Form<F>;
  problems: Problems;
  choices: Engine["training"];
  bind: Bind<F>;
  onChange: (field: F, value: string) => void;
}

export type TrainingPart = Part<TrainingField>;

/** The props of a select for a field that takes one of a few words. */
export function select<F extends string>({ form, choices, bind }: Part<F>, field: F): Bound & { data: string[] } {
  const words = field === "model" ? Object.keys(choices.models) : field === "dataset" ? choices.datasets : choices.fields[field];
  return { data: options(words ?? [], form[field]), ...bind(field) };
}
