import { NativeSelect, TextInput } from "@mantine/core";
import { FINER_FIELDS, isTold, isUsed } from "../../../lib/form/trainingForm";
import { Limits } from "../Limits";
import classes from "../SubmitPage.module.css";
import { select, type TrainingPart } from "../training/trainingPart";

/** Checkpoints, seed and the rest: folded unless one of the fields differs from its default. */
export function FinerOptions(part: TrainingPart) {
  const { form, standard, problems, choices, bind } = part;
  return (
    <details className={classes.group} open={isTold(FINER_FIELDS, form, standard, problems) || undefined}>
      <summary>Checkpoints, seed and finer options</summary>
      <div className={classes.row}>
        <TextInput description="Steps; empty: each epoch" inputMode="numeric" {...bind("checkpoint_every_steps")} />
        <TextInput description="Number of an earlier job" inputMode="numeric" {...bind("resume_from")} />
        <TextInput description="Empty: all epochs" inputMode="numeric" {...bind("max_steps")} />
        <TextInput description="For parameters and order" inputMode="numeric" {...bind("seed")} />
        {(isUsed("verify_every", form.strategy, choices) || isTold(["verify_every"], form, standard, problems)) && (
          <TextInput description="Steps; empty: each epoch" inputMode="numeric" {...bind("verify_every")} />
        )}
        <NativeSelect description="Stop, or skip the step" {...select(part, "on_nan")} />
      </div>
      <div className={classes.row}>
        <TextInput description="Of sgd" inputMode="decimal" {...bind("momentum")} />
        <TextInput description="Of the optimizer" inputMode="decimal" {...bind("weight_decay")} />
        <TextInput description="Used where there is no test set" inputMode="numeric" {...bind("validation_percent")} />
        <TextInput description="Seconds without progress" inputMode="numeric" {...bind("timeout")} />
      </div>
      <Limits bind={bind} />
    </details>
  );
}
