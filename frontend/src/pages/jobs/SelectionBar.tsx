import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { memo, useCallback, useState } from "react";
import { meQuery } from "../../data/server";
import type { JobView } from "../../api/types";
import { useShortcut } from "../../components/hooks/shortcuts";
import { comparisonOf, MOST_JOBS } from "../../lib/sweep/compare";
import { plural } from "../../lib/format";
import { type CompareSearch, stringifySearch } from "../../lib/search/search";
import { isTerminal } from "../../lib/state";
import { BaseButton } from "../../components/controls/BaseButton";
import { passesFocus } from "../../components/hooks/keepFocus";
import { CancelJobsDialog } from "./CancelJobsDialog";
import classes from "./JobsPage.module.css";
import { useJobs } from "../../components/hooks/useJobs";
import { MOST_PINNED, useMarks } from "../../components/hooks/useMarks";

/** While none of these changes, it is not redrawn. */
interface Props {
  ids: readonly number[];
  /** The loaded jobs; chosen jobs that are not among them are requested. */
  jobs: readonly JobView[];
  /** The job to which differences are shown. */
  base: number | null;
  onBase: (base: number | null) => void;
  onClear: () => void;
}

/** The actions for the chosen jobs; they lie over the end of the list, so that nothing moves when they appear. */
export const SelectionBar = memo(function SelectionBar({ ids, jobs, base, onBase, onClear }: Props) {
  const me = useQuery(meQuery);
  const [isAsking, setAsking] = useState(false);
  const loaded = new Map(jobs.map((job) => [job.id, job]));
  // A link can choose jobs that are on no loaded page of the list.
  const others = useJobs(ids.filter((id) => !loaded.has(id)));
  const chosen = [...loaded.values(), ...others.jobs].filter((job) => ids.includes(job.id));
  // A base job of another kind has nothing in common with them.
  const common = base !== null && loaded.get(base)?.kind === chosen[0]?.kind ? base : null;
  const comparison = comparisonOf(ids, common);
  useCompareKey(comparison);
  const going = chosen.filter((job) => !isTerminal(job.state) && job.state !== "stopping");
  const mayChange = me.data !== undefined && me.data.role !== "viewer";
  const mayCancel = mayChange && going.length > 0;
  const ask = useCallback(() => setAsking(true), []);
  useShortcut("cancel", mayCancel ? ask : null);
  if (ids.length === 0) return null;
  return (
    <section className={classes.selection} aria-label="Chosen jobs">
      <span>{ids.length} chosen</span>
      {others.missing > 0 && <span className="dim">{others.missing} of them could not be loaded.</span>}
      <Compare ids={ids} base={common} search={comparison} />
      <Marks ids={ids} base={base} onBase={onBase} />
      {mayCancel && <Button onClick={ask}>Cancel {plural(going.length, "job")} …</Button>}
      <Button ref={passesFocus} variant="subtle" color="gray" onClick={onClear}>
        Clear
      </Button>
      <CancelJobsDialog jobs={going} isOpen={isAsking} onClose={() => setAsking(false)} />
    </section>
  );
});

function useCompareKey(search: CompareSearch | null): void {
  const navigate = useNavigate();
  const text = search && stringifySearch({ ...search });
  const compare = useCallback(() => void navigate({ href: `/compare${text}` }), [navigate, text]);
  useShortcut("compare", text === null ? null : compare);
}

/** Where the chosen jobs are compared, also with the base job of the list. */
function Compare({ ids, base, search }: { ids: readonly number[]; base: number | null; search: CompareSearch | null }) {
  if (!search) return <span className="dim">No more than {MOST_JOBS} can be compared.</span>;
  const isBeside = base !== null && !ids.includes(base) && ids.length < MOST_JOBS;
  return (
    <Button variant="filled" renderRoot={(props) => <Link to="/compare" search={search} {...props} />}>
      Compare {plural(ids.length, "job")}
      {isBeside && ` with ★ job ${base}`}
    </Button>
  );
}

/** Pin, and the base job. */
function Marks({ ids, base, onBase }: Pick<Props, "ids" | "base" | "onBase">) {
  const [marks, setMarks] = useMarks();
  const { pinned } = marks;
  const areAllPinned = ids.every((id) => pinned.includes(id));
  const withThese = [...new Set([...pinned, ...ids])];
  const [only] = ids;
  return (
    <>
      {areAllPinned ? (
        <Button onClick={() => setMarks({ ...marks, pinned: pinned.filter((id) => !ids.includes(id)) })}>Unpin</Button>
      ) : withThese.length <= MOST_PINNED ? (
        <Button onClick={() => setMarks({ ...marks, pinned: withThese })}>Pin</Button>
      ) : (
        <span className="dim">No more than {MOST_PINNED} can be pinned.</span>
      )}
      {ids.length === 1 && only !== undefined && <BaseButton id={only} shown={base} onChange={onBase} />}
    </>
  );
}
