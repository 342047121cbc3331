import { SelectField, TextField } from "../../../components/controls/fields";
import { isTold, isUsed, STRATEGY_FIELDS, type TrainingField } from "../../../lib/form/trainingForm";
import { NodeChoice } from "../NodeChoice";
import { Ranks } from "../Ranks";
import classes from "../SubmitPage.module.css";
import { select, type TrainingPart } from "./trainingPart";

const STRATEGIES: Record<string, string> = {
  mirrored: "Replicas on one node; the gradients of each step are summed over all of them.",
  multi_worker_mirrored: "Replicas on several nodes; the gradients of each step are summed over all of them.",
  parameter_server: "Some ranks hold the parameters; the others push gradients and pull parameters.",
  local_sgd: "Each rank makes steps of its own; now and then all average their parameters, so fewer bytes are sent.",
  sharded: "As mirrored, but each rank updates an equal share of the parameters, so the optimizer takes less memory.",
  pipeline: "Each rank computes some of the layers; parts of a batch pass through the ranks one after another.",
  tensor: "All ranks compute each layer together on the same samples; each step waits for sums of activations.",
  torch_ddp: "The same by PyTorch's DistributedDataParallel, to compare with.",
  torch_fsdp: "Sharded training by PyTorch's fully_shard (FSDP), to compare with.",
  tf_mirrored: "The same by TensorFlow's MirroredStrategy, to compare with.",
  tf_multi_worker_mirrored: "The same by TensorFlow's MultiWorkerMirroredStrategy, to compare with.",
  tf_parameter_server: "The same by TensorFlow's ParameterServerStrategy, to compare with.",
  tpu: "Ringscope does not run on TPUs.",
};

/** What the fields of single strategies mean. */
const OWN: Partial<Record<TrainingField, string>> = {
  servers: "Ranks that hold the parameters",
  consistency: "Workers that a step waits for",
  staleness: "Steps ahead of the slowest",
  sync_every: "Steps between two averages",
  split: "by_label: only those of its labels",
  weights: "A rank's weight in an average",
  outer_momentum: "0: none; DiLoCo: 0.9",
  stages: "Ranks that share the layers",
  micro_batches: "Parts of a replica's batch",
  schedule: "Order of forwards and backwards",
  outer_learning_rate: "1: all the way to the average",
};

/** How the work is split, and over how many ranks. */
export function Strategy(part: TrainingPart) {
  const { form, problems, choices, bind, onChange } = part;
  const shown = STRATEGY_FIELDS.filter((field) => isShown(field, part));
  const staysOnOne = (choices.one_node as string[]).includes(form.strategy);
  return (
    <section aria-labelledby="where" className={classes.group}>
      <h2 id="where">Strategy</h2>
      <div className={classes.row}>
        <SelectField description="Parallel strategy" {...select(part, "strategy")} />
        <SelectField description="Algorithm of the all-reduce" {...select(part, "all_reduce")} />
        <Ranks bound={bind("ranks")} />
        {(isUsed("min_ranks", form.strategy, choices) || form.min_ranks !== "" || problems.min_ranks) && (
          <TextField description="Empty: always all ranks" inputMode="numeric" {...bind("min_ranks")} />
        )}
        {(!staysOnOne || form.nodes !== "" || problems.nodes) && (
          <TextField description="Empty: as few as possible" inputMode="numeric" {...bind("nodes")} />
        )}
      </div>
      <p className={`dim ${classes.does}`}>{STRATEGIES[form.strategy]}</p>
      {shown.length > 0 && (
        <div className={classes.row}>
          {shown.map((field) =>
            field in choices.fields ? (
              <SelectField key={field} description={OWN[field]} {...select(part, field)} />
            ) : (
              <TextField key={field} description={OWN[field]} inputMode="decimal" {...bind(field)} />
            ),
          )}
        </div>
      )}
      <div className={classes.row}>
        <TextField description="rack=3, zone=a" placeholder="any" {...bind("selector")} />
        <TextField className={classes.wide ?? ""} description="Name for searching" maxLength={200} {...bind("name")} />
      </div>
      <NodeChoice selector={form.selector} onChange={(selector) => onChange("selector", selector)} />
    </section>
  );
}

/** Whether the strategy uses the field, or the form must say why it does not. */
function isShown(field: TrainingField, { form, standard, problems, choices }: TrainingPart): boolean {
  if (isTold([field], form, standard, problems)) return true;
  return field === "staleness" ? form.consistency === "ssp" : isUsed(field, form.strategy, choices);
}
