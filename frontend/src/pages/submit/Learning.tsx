import { NativeSelect, TextInput } from "@mantine/core";
import classes from "./SubmitPage.module.css";
import { select, type TrainingPart } from "./trainingPart";

/** How it learns, for how long, and within which limits. */
export function Learning(part: TrainingPart) {
  const { bind } = part;
  return (
    <section aria-labelledby="learning" className={classes.group}>
      <h2 id="learning">Learning and limits</h2>
      <div className={classes.row}>
        <TextInput label="Batch" description="Samples in a step, of all ranks" inputMode="numeric" {...bind("global_batch_size")} />
        <TextInput label="Epochs" description="Times through the samples" inputMode="numeric" {...bind("epochs")} />
        <NativeSelect label="Optimizer" description="Of the parameters" {...select(part, "optimizer")} />
        <TextInput label="Learning rate" description="Of the optimizer" inputMode="decimal" {...bind("learning_rate")} />
        <NativeSelect label="Precision" description="Of forward and backward" {...select(part, "precision")} />
        <TextInput label="Target accuracy" description="0 to 1; told when reached" inputMode="decimal" {...bind("target_accuracy")} />
        <TextInput label="Time limit" description="Seconds" inputMode="numeric" {...bind("limit")} />
        <TextInput label="Priority" description="0 to 100, higher first" inputMode="numeric" {...bind("priority")} />
      </div>
    </section>
  );
}
