import type { Engine } from "../../../api/types";
import { plural } from "../../../lib/format";
import { argumentsOf } from "../../../lib/form/specForm";
import type { TrainingForm } from "../../../lib/form/trainingForm";
import classes from "../SubmitPage.module.css";

/** The training in a few words. */
export function TrainingPreview({ form, choices }: { form: TrainingForm; choices: Engine["training"] }) {
  const sizes = { ...choices.models[form.model], ...argumentsOf(form.model_arguments) };
  const of = Object.entries(sizes).map(([name, size]) => `${name} ${size}`).join(", ");
  const epochs = Number(form.epochs);
  const ranks = Number(form.ranks);
  const isCounted = Number.isInteger(epochs) && epochs > 0 && Number.isInteger(ranks) && ranks > 0;
  if (!isCounted) return <p className="dim">These fields do not describe training yet.</p>;
  return (
    <>
      <p className={classes.rows}>{plural(epochs, "epoch")}</p>
      <p className="dim">
        {form.model || "a model of your own"} {of && `(${of}) `}on {form.dataset === "own" ? `${form.file}:${form.reader}` : form.dataset}, by{" "}
        {form.strategy} over {plural(ranks, "rank")}; {form.global_batch_size || "?"} samples a step
      </p>
    </>
  );
}
