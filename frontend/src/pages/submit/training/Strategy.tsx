import { NativeSelect, TextInput } from "@mantine/core";
import { isTold, SERVER_FIELDS } from "../../../lib/form/trainingForm";
import { NodeChoice } from "../NodeChoice";
import { Ranks } from "../Ranks";
import classes from "../SubmitPage.module.css";
import { select, type TrainingPart } from "./trainingPart";

const STRATEGIES: Record<string, string> = {
  mirrored: "Replicas on one node; the gradients of each step are summed over all of them.",
  multi_worker_mirrored: "Replicas on several nodes; the gradients of each step are summed over all of them.",
  parameter_server: "Some ranks hold the parameters; the others push gradients and pull parameters.",
  torch_ddp: "The same by PyTorch's DistributedDataParallel, to compare with.",
  tf_mirrored: "The same by TensorFlow's MirroredStrategy, to compare with.",
  tf_multi_worker_mirrored: "The same by TensorFlow's MultiWorkerMirroredStrategy, to compare with.",
  tf_parameter_server: "The same by TensorFlow's ParameterServerStrategy, to compare with.",
  tpu: "Ringscope does not run on TPUs.",
};

/** How the work is split, and over how many ranks. */
export function Strategy(part: TrainingPart) {
  const { form, standard, problems, choices, bind, onChange } = part;
  const hasServers = (choices.parameter_servers as string[]).includes(form.strategy);
  const staysOnOne = (choices.one_node as string[]).includes(form.strategy);
  return (
    <section aria-labelledby="where" className={classes.group}>
      <h2 id="where">Strategy</h2>
      <div className={classes.row}>
        <NativeSelect description="Parallel strategy" {...select(part, "strategy")} />
        <NativeSelect description="Algorithm of the all-reduce" {...select(part, "all_reduce")} />
        <Ranks bound={bind("ranks")} />
        {(!staysOnOne || form.nodes !== "" || problems.nodes) && (
          <TextInput description="Empty: as few as possible" inputMode="numeric" {...bind("nodes")} />
        )}
      </div>
      <p className={`dim ${classes.does}`}>{STRATEGIES[form.strategy]}</p>
      {(hasServers || isTold(SERVER_FIELDS, form, standard, problems)) && (
        <div className={classes.row}>
          <TextInput description="Ranks that hold the parameters" inputMode="numeric" {...bind("servers")} />
          <NativeSelect description="Workers that a step waits for" {...select(part, "consistency")} />
          {(form.consistency === "ssp" || form.staleness !== "" || problems.staleness) && (
            <TextInput description="Steps ahead of the slowest" inputMode="numeric" {...bind("staleness")} />
          )}
        </div>
      )}
      <div className={classes.row}>
        <TextInput description="rack=3, zone=a" placeholder="any" {...bind("selector")} />
        <TextInput className={classes.wide ?? ""} description="Name for searching" maxLength={200} {...bind("name")} />
      </div>
      <NodeChoice selector={form.selector} onChange={(selector) => onChange("selector", selector)} />
    </section>
  );
}
