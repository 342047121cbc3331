import { NativeSelect, TextInput } from "@mantine/core";
import classes from "../SubmitPage.module.css";
import { select, type TrainingPart } from "./trainingPart";

/** Optimizer, duration and limits. */
export function Learning(part: TrainingPart) {
  const { bind } = part;
  return (
    <section aria-labelledby="learning" className={classes.group}>
      <h2 id="learning">Learning and limits</h2>
      <div className={classes.row}>
        <TextInput description="Samples in a step, of all ranks" inputMode="numeric" {...bind("global_batch_size")} />
        <TextInput description="Passes over the samples" inputMode="numeric" {...bind("epochs")} />
        <NativeSelect description="Of the parameters" {...select(part, "optimizer")} />
        <TextInput description="Of the optimizer" inputMode="decimal" {...bind("learning_rate")} />
        <NativeSelect description="Of forward and backward" {...select(part, "precision")} />
        <TextInput description="0 to 1; the time to reach it is reported" inputMode="decimal" {...bind("target_accuracy")} />
        <TextInput description="Seconds, loading included" inputMode="numeric" {...bind("limit")} />
        <TextInput description="0 to 100, higher first" inputMode="numeric" {...bind("priority")} />
      </div>
    </section>
  );
}
