import { SelectField, TextField } from "../../../components/controls/fields";
import { TimeLimit } from "../TimeLimit";
import classes from "../SubmitPage.module.css";
import { select, type TrainingPart } from "./trainingPart";

/** Optimizer, duration and limits. */
export function Learning(part: TrainingPart) {
  const { bind } = part;
  return (
    <section aria-labelledby="learning" className={classes.group}>
      <h2 id="learning">Learning and limits</h2>
      <div className={classes.row}>
        <TextField description="Samples in a step, of all ranks" inputMode="numeric" {...bind("global_batch_size")} />
        <TextField description="Passes over the samples" inputMode="numeric" {...bind("epochs")} />
        <SelectField description="How parameters are updated" {...select(part, "optimizer")} />
        <TextField description="Step size of the optimizer" inputMode="decimal" {...bind("learning_rate")} />
        <SelectField description="Number type of forward and backward" {...select(part, "precision")} />
        <TextField description="0 to 1; the time to reach it is reported" inputMode="decimal" {...bind("target_accuracy")} />
        <TimeLimit bound={bind("limit")} />
        <TextField description="0 to 100, higher first" inputMode="numeric" {...bind("priority")} />
      </div>
    </section>
  );
}
