/** A new training job: model, data, strategy, and how long. */
import type { Engine, JobSpec } from "../../../api/types";
import { withChanges } from "../../../lib/form/formSearch";
import { formToSpec } from "../../../lib/form/specForm";
import { changedTraining, standardTraining, TRAINING_FIELDS, type TrainingField, trainingForm } from "../../../lib/form/trainingForm";
import { binder } from "../bind";
import { FinerOptions } from "../sweep/FinerOptions";
import { PredictedTraining } from "./PredictedTraining";
import { FormFrame } from "../FormFrame";
import { Gradients } from "./Gradients";
import { Learning } from "./Learning";
import { Model } from "./Model";
import { Strategy } from "./Strategy";
import classes from "../SubmitPage.module.css";
import { TrainingPreview } from "./TrainingPreview";
import { useFormState } from "../useFormState";

interface Props {
  choices: Engine["training"];
  /** The initial specification. */
  base: JobSpec | undefined;
  from: string | undefined;
}

export function TrainingForm({ choices, base, from }: Props) {
  const start = base ? trainingForm(base, choices.one_node) : standardTraining(choices);
  const standard = standardTraining(choices);
  const { form, change, opening } = useFormState(start, (search) => withChanges(start, search));
  const spec = formToSpec(TRAINING_FIELDS, form, base ?? choices.defaults);
  return (
    <FormFrame
      key={opening}
      from={from}
      spec={spec}
      table={TRAINING_FIELDS}
      form={form}
      start={start}
      preview={<TrainingPreview form={form} choices={choices} />}
      prediction={(check) => <PredictedTraining spec={spec} check={check} />}
      hasCommand
      fields={(problems) => {
        const onChange = (field: TrainingField, value: string): void => change(changedTraining(form, field, value, choices));
        const part = { form, standard, problems, choices, bind: binder(TRAINING_FIELDS, form, problems, onChange), onChange };
        return (
          <div className={`card ${classes.fields}`}>
            <Model {...part} />
            <Strategy {...part} />
            <Learning {...part} />
            <Gradients {...part} />
            <FinerOptions {...part} />
          </div>
        );
      }}
    />
  );
}
