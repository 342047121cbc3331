import { SelectField, TextField } from "../../../components/controls/fields";
import { argumentsOf, withArgument } from "../../../lib/form/specForm";
import { needsFolder, type SampleField } from "../../../lib/form/trainingForm";
import { isOwn } from "../../../lib/form/ownModel";
import classes from "../SubmitPage.module.css";
import { type Part, select } from "./trainingPart";

const OWN = "own";
const MODELS: Record<string, string> = {
  mlp: "Fully connected layers on a picture: many parameters and little to compute, so that communication shows.",
  cnn: "One convolution of 3x3, max-pooling, a hidden layer.",
  resnet18: "ResNet-18 in its form for small pictures.",
  gpt: "A small decoder of tokens; it reads text.",
  own: "What a function returns: a torch.nn.Module with a method loss, or a module and its loss.",
};
const DATASETS: Record<string, string> = {
  digits: "1797 handwritten digits of 8x8 pixels, which every node has.",
  cifar10: "60,000 pictures from the unpacked python version.",
  text: "The bytes of all files below a folder, for gpt.",
  synthetic: "Made up from the seed.",
  own: "What a function returns: any map-style or iterable dataset of pairs, or two of them for training and validation.",
};

/** The model with its arguments, and the dataset. */
export function Model(part: Part<SampleField>) {
  const { form, problems, bind } = part;
  return (
    <section aria-labelledby="what" className={classes.group}>
      <h2 id="what">What to train</h2>
      <div className={classes.row}>
        <ModelChoice {...part} />
        {!isOwn(form.model) && <Sizes {...part} />}
      </div>
      <p className={`dim ${classes.does}`}>{MODELS[isOwn(form.model) ? OWN : form.model]}</p>
      {problems.model_arguments && <p className={classes.problem}>{problems.model_arguments}</p>}
      <div className={classes.row}>
        <SelectField description="Source of the samples" {...select(part, "dataset")} />
        {(needsFolder(form) || form.path !== "" || problems.path) && (
          <TextField className={classes.wide ?? ""} description="The same path on every node" {...bind("path")} />
        )}
        {(form.dataset === OWN || form.file !== "" || problems.file) && <OwnDataset {...part} />}
        {(form.dataset === "synthetic" || form.samples !== "" || problems.samples) && (
          <TextField description="Empty: 8192" inputMode="numeric" {...bind("samples")} />
        )}
      </div>
      <p className={`dim ${classes.does}`}>{DATASETS[form.dataset]} Nothing is downloaded.</p>
    </section>
  );
}

/** The named models, or a function in a file of the agents' folder of scripts. */
function ModelChoice(part: Part<SampleField>) {
  const { form, choices, bind, onChange } = part;
  const { value, error, ...field } = bind("model");
  const isFile = isOwn(form.model);
  const [file = "", build = ""] = form.model.split(":");
  return (
    <>
      <SelectField
        {...field}
        data={[...Object.keys(choices.models), { value: OWN, label: "own file" }]}
        value={isFile ? OWN : value}
        error={isFile ? undefined : error}
        onChange={(event) => onChange("model", event.currentTarget.value === OWN ? "my_model.py:build" : event.currentTarget.value)}
      />
      {isFile && (
        <TextField
          label="Python file"
          description="Below the agents' folder of scripts"
          value={file}
          error={error}
          onChange={(event) => onChange("model", `${event.currentTarget.value}:${build}`)}
        />
      )}
      {isFile && (
        <TextField label="Builds it" value={build} onChange={(event) => onChange("model", `${file}:${event.currentTarget.value}`)} />
      )}
      {isFile && (
        <TextField
          label="Arguments"
          placeholder="width=64"
          value={form.model_arguments}
          onChange={(event) => onChange("model_arguments", event.currentTarget.value)}
        />
      )}
    </>
  );
}

function OwnDataset({ bind }: Part<SampleField>) {
  return (
    <>
      <TextField description="Below the agents' folder of scripts" placeholder="my_data.py" {...bind("file")} />
      <TextField {...bind("reader")} />
      <TextField description="0: the rank reads" inputMode="numeric" {...bind("workers")} />
      <TextField inputMode="numeric" {...bind("prefetch")} />
    </>
  );
}

/** The model's arguments; an empty one has the model's default, which is its placeholder. */
function Sizes({ form, problems, choices, onChange }: Part<SampleField>) {
  const known = choices.models[form.model] ?? {};
  const given = argumentsOf(form.model_arguments);
  // The URL may contain an argument that the model lacks: it is shown, for the server to refuse.
  const names = [...Object.keys(known), ...Object.keys(given).filter((name) => !Object.hasOwn(known, name))];
  return names.map((name) => (
    <TextField
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
