import { NativeSelect, TextInput } from "@mantine/core";
import { argumentsOf, withArgument } from "../../../lib/form/specForm";
import { needsFolder } from "../../../lib/form/trainingForm";
import classes from "../SubmitPage.module.css";
import { select, type TrainingPart } from "./trainingPart";

const MODELS: Record<string, string> = {
  mlp: "Fully connected layers on a picture: many parameters and little to compute, so that communication shows.",
  cnn: "One convolution of 3x3, max-pooling, a hidden layer.",
  resnet18: "ResNet-18 in its form for small pictures.",
  gpt: "A small decoder of tokens; it reads text.",
};
const DATASETS: Record<string, string> = {
  digits: "1797 handwritten digits of 8x8 pixels, which every node has.",
  cifar10: "60,000 pictures from the unpacked python version.",
  text: "The bytes of all files below a folder, for gpt.",
  synthetic: "Made up from the seed.",
};

/** The model with its arguments, and the dataset. */
export function Model(part: TrainingPart) {
  const { form, problems, bind } = part;
  return (
    <section aria-labelledby="what" className={classes.group}>
      <h2 id="what">What to train</h2>
      <div className={classes.row}>
        <NativeSelect {...select(part, "model")} />
        <Sizes {...part} />
      </div>
      <p className={`dim ${classes.does}`}>{MODELS[form.model]}</p>
      {problems.model_arguments && <p className={classes.problem}>{problems.model_arguments}</p>}
      <div className={classes.row}>
        <NativeSelect description="Where the samples come from" {...select(part, "dataset")} />
        {(needsFolder(form) || form.path !== "" || problems.path) && (
          <TextInput className={classes.wide ?? ""} description="On every node, under the same path" {...bind("path")} />
        )}
        {(form.dataset === "synthetic" || form.samples !== "" || problems.samples) && (
          <TextInput description="Empty: 8192" inputMode="numeric" {...bind("samples")} />
        )}
      </div>
      <p className={`dim ${classes.does}`}>{DATASETS[form.dataset]} Nothing is downloaded.</p>
    </section>
  );
}

/** The model's arguments; an empty one has the model's default, which is its placeholder. */
function Sizes({ form, problems, choices, onChange }: TrainingPart) {
  const known = choices.models[form.model] ?? {};
  const given = argumentsOf(form.model_arguments);
  // The URL may contain an argument that the model lacks: it is shown, for the server to refuse.
  const names = [...Object.keys(known), ...Object.keys(given).filter((name) => !Object.hasOwn(known, name))];
  return names.map((name) => (
    <TextInput
      key={name}
      name={`model_arguments.${name}`}
      label={`${name[0]?.toUpperCase()}${name.slice(1)}`}
      placeholder={String(known[name] ?? "")}
      inputMode="numeric"
      value={String(given[name] ?? "")}
      error={problems[`model_arguments.${name}`]}
      onChange={(event) => onChange("model_arguments", withArgument(form.model_arguments, name, event.currentTarget.value))}
    />
  ));
}
