/** A new strategy search: model, data, candidates, and how long. */
import { SelectField, TextField } from "../../../components/controls/fields";
import type { Engine, JobSpec } from "../../../api/types";
import { formatDuration, plural } from "../../../lib/format";
import { withChanges } from "../../../lib/form/formSearch";
import { changedSearch, chosenCandidates, FINER_SEARCH_FIELDS, SEARCH_FIELDS, type SearchField, searchForm } from "../../../lib/form/searchForm";
import { formToSpec } from "../../../lib/form/specForm";
import { isTold } from "../../../lib/form/trainingForm";
import { binder } from "../bind";
import { FormFrame } from "../FormFrame";
import { Limits } from "../Limits";
import { NodeChoice } from "../NodeChoice";
import { Ranks } from "../Ranks";
import { TimeLimit } from "../TimeLimit";
import classes from "../SubmitPage.module.css";
import { Model } from "../training/Model";
import { type Part, select } from "../training/trainingPart";
import { useFormState } from "../useFormState";
import { Candidates } from "./Candidates";
import { PreviewedSearch } from "./PreviewedSearch";

interface Props {
  engine: Engine;
  /** The initial specification. */
  base: JobSpec | undefined;
  from: string | undefined;
}

export function SearchForm({ engine, base, from }: Props) {
  const { candidates, defaults } = engine.strategy_search;
  const standard = searchForm(defaults);
  const start = base ? searchForm(base) : standard;
  const { form, change, opening } = useFormState(start, (search) => withChanges(start, search));
  const spec = formToSpec(SEARCH_FIELDS, form, base ?? defaults);
  const budget = Number(form.budget);
  return (
    <FormFrame
      key={opening}
      from={from}
      spec={spec}
      table={SEARCH_FIELDS}
      form={form}
      start={start}
      preview={
        <>
          <p className={classes.rows}>{plural(chosenCandidates(form.strategies, candidates).length, "candidate")}</p>
          <p className="dim">
            Short runs in turns on the same ranks, from the same parameters and samples{budget > 0 && `, for at most ${formatDuration(budget)}`}.
          </p>
        </>
      }
      prediction={(check) => <PreviewedSearch spec={spec} check={check} />}
      hasCommand
      fields={(problems) => {
        const onChange = (field: SearchField, value: string): void => change(changedSearch(form, field, value, standard));
        const part = { form, standard, problems, choices: engine.training, bind: binder(SEARCH_FIELDS, form, problems, onChange), onChange };
        return (
          <div className={`card ${classes.fields}`}>
            <Model {...part} />
            <section aria-labelledby="where" className={classes.group}>
              <h2 id="where">Strategies</h2>
              <Candidates candidates={candidates} value={form.strategies} problem={problems.strategies} onChange={(value) => onChange("strategies", value)} />
              <Where {...part} />
            </section>
            <Learning {...part} />
            <Finer {...part} />
          </div>
        );
      }}
    />
  );
}

function Where({ form, bind, onChange }: Part<SearchField>) {
  return (
    <>
      <div className={classes.row}>
        <Ranks bound={bind("ranks")} />
        <TextField description="Empty: as few as possible" inputMode="numeric" {...bind("nodes")} />
        <TextField description="rack=3, zone=a" placeholder="any" {...bind("selector")} />
        <TextField className={classes.wide ?? ""} description="Name for searching" maxLength={200} {...bind("name")} />
      </div>
      <NodeChoice selector={form.selector} onChange={(selector) => onChange("selector", selector)} />
    </>
  );
}

function Learning(part: Part<SearchField>) {
  const { bind } = part;
  return (
    <section aria-labelledby="learning" className={classes.group}>
      <h2 id="learning">Learning and limits</h2>
      <div className={classes.row}>
        <TextField description="Seconds for all runs" inputMode="numeric" {...bind("budget")} />
        <TextField description="0 to 1; the fastest train to it at last" placeholder="none" inputMode="decimal" {...bind("target_accuracy")} />
        <TextField description="Samples in a step, of all ranks" inputMode="numeric" {...bind("global_batch_size")} />
        <SelectField description="How parameters are updated" {...select(part, "optimizer")} />
        <TextField description="Step size of the optimizer" inputMode="decimal" {...bind("learning_rate")} />
        <SelectField description="Number type of forward and backward" {...select(part, "precision")} />
        <TimeLimit bound={bind("limit")} />
        <TextField description="0 to 100, higher first" inputMode="numeric" {...bind("priority")} />
      </div>
    </section>
  );
}

/** Seed and the rest: folded unless one of the fields differs from its default. */
function Finer({ form, standard, problems, bind }: Part<SearchField>) {
  return (
    <details className={classes.group} open={isTold(FINER_SEARCH_FIELDS, form, standard, problems) || undefined}>
      <summary>Seed and finer options</summary>
      <div className={classes.row}>
        <TextField description="Decides parameters and order" inputMode="numeric" {...bind("seed")} />
        <TextField description="Used by sgd only" inputMode="decimal" {...bind("momentum")} />
        <TextField description="Validates where there is no test set" inputMode="numeric" {...bind("validation_percent")} />
      </div>
      <Limits bind={bind} />
    </details>
  );
}
