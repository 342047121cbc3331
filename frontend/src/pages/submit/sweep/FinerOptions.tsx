import { SelectField, TextField } from "../../../components/controls/fields";
import { Folded } from "../../../components/controls/Folded";
import { FINER_FIELDS, isTold, isUsed } from "../../../lib/form/trainingForm";
import { Limits } from "../Limits";
import classes from "../SubmitPage.module.css";
import { select, type TrainingPart } from "../training/trainingPart";

/** Checkpoints, seed and the rest: folded unless one of the fields differs from its default. */
export function FinerOptions(part: TrainingPart) {
  const { form, standard, problems, choices, bind } = part;
  return (
    <Folded className={classes.group} summary="Checkpoints, seed and finer options" isNeeded={isTold(FINER_FIELDS, form, standard, problems)}>
      <div className={classes.row}>
        <TextField description="Steps; empty: each epoch" inputMode="numeric" {...bind("checkpoint_every_steps")} />
        <TextField description="Number of an earlier job" inputMode="numeric" {...bind("resume_from")} />
        <TextField description="Empty: all epochs" inputMode="numeric" {...bind("max_steps")} />
        <TextField description="Decides parameters and order" inputMode="numeric" {...bind("seed")} />
        {(isUsed("verify_every", form.strategy, choices) || isTold(["verify_every"], form, standard, problems)) && (
          <TextField description="Steps; empty: each epoch" inputMode="numeric" {...bind("verify_every")} />
        )}
        <SelectField description="Stop, or skip the step" {...select(part, "on_nan")} />
      </div>
      <div className={classes.row}>
        <TextField description="Used by sgd only" inputMode="decimal" {...bind("momentum")} />
        <TextField description="Shrinks parameters in each step" inputMode="decimal" {...bind("weight_decay")} />
        <TextField description="Validates where there is no test set" inputMode="numeric" {...bind("validation_percent")} />
        <TextField description="Seconds without progress" inputMode="numeric" {...bind("timeout")} />
      </div>
      <Limits bind={bind} />
    </Folded>
  );
}
