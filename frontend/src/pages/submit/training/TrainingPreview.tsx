import type { Engine } from "../../../api/types";
import { plural } from "../../../lib/format";
import { argumentsOf } from "../../../lib/form/specForm";
import type { TrainingForm } from "../../../lib/form/trainingForm";
import classes from "../SubmitPage.module.css";

/** The training in a few words. */
export function TrainingPreview({ form, choices }: { form: TrainingForm; choices: Engine["training"] }) {
  const sizes = { ...choices.models[form.model], ...argumentsOf(form.model_arguments) };
  const of = Object.entries(sizes).map(([name, size]) => `${name} ${size}`).join(", ");
  const [epochs, ranks, most] = [form.epochs, form.ranks, form.max_steps].map(Number) as [number, number, number];
  if (!isCount(epochs) || !isCount(ranks)) return <p className="dim">These fields do not describe training yet.</p>;
  const isLimited = form.max_steps !== "" && isCount(most);
  return (
    <>
      <p className={classes.rows}>{isLimited ? `at most ${plural(most, "step")}` : plural(epochs, "epoch")}</p>
      <p className="dim">
        {isLimited && `or ${plural(epochs, "epoch")}, if that is less; `}
        {form.model || "a model of your own"} {of && `(${of}) `}on {form.dataset === "own" ? `${form.file}:${form.reader}` : form.dataset}, by{" "}
        {form.strategy} over {plural(ranks, "rank")}; {form.global_batch_size || "?"} samples a step
      </p>
    </>
  );
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value > 0;
}
