import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { memo, useCallback, useState } from "react";
import { meQuery } from "../../data/server";
import type { JobView } from "../../api/types";
import { useShortcut } from "../../components/shortcuts";
import { MOST_JOBS } from "../../lib/compare";
import { plural } from "../../lib/format";
import { isTerminal } from "../../lib/state";
import { BaselineButton } from "../../components/BaselineButton";
import { CancelJobsDialog } from "./CancelJobsDialog";
import classes from "./JobsPage.module.css";
import { MOST_PINNED, useMarks } from "../../components/useMarks";

/** As long as none of them changes, it is not drawn anew. */
interface Props {
  ids: readonly number[];
  /** Those of the chosen jobs that are loaded are among them. */
  jobs: readonly JobView[];
  onClear: () => void;
}

/** What can be done with the chosen jobs; stands over the end of the list, so that nothing moves when it comes. */
export const SelectionBar = memo(function SelectionBar({ ids, jobs, onClear }: Props) {
  const me = useQuery(meQuery);
  const [isAsking, setAsking] = useState(false);
  useCompareKey(ids);
  if (ids.length === 0) return null;
  const chosen = [...new Map(jobs.map((job) => [job.id, job])).values()].filter((job) => ids.includes(job.id));
  const going = chosen.filter((job) => !isTerminal(job.state) && job.state !== "stopping");
  const mayChange = me.data !== undefined && me.data.role !== "viewer";
  return (
    <section className={classes.selection} aria-label="Chosen jobs">
      <span>{ids.length} chosen</span>
      <Compare ids={ids} />
      <Marks ids={ids} />
      {mayChange && going.length > 0 && <Button onClick={() => setAsking(true)}>Cancel {plural(going.length, "job")} …</Button>}
      <Button variant="subtle" color="gray" onClick={onClear}>
        Choose none
      </Button>
      <CancelJobsDialog jobs={going} isOpen={isAsking} onClose={() => setAsking(false)} />
    </section>
  );
});

function useCompareKey(ids: readonly number[]): void {
  const navigate = useNavigate();
  const text = ids.slice(0, MOST_JOBS).join(",");
  const compare = useCallback(() => void navigate({ to: "/compare", search: { ids: text } }), [navigate, text]);
  useShortcut("compare", text ? compare : null);
}

function Compare({ ids }: { ids: readonly number[] }) {
  const [{ baseline }] = useMarks();
  if (ids.length > MOST_JOBS) return <span className="dim">No more than {MOST_JOBS} can be compared.</span>;
  const base = baseline !== null && ids.includes(baseline) ? { base: String(baseline) } : {};
  return (
    <Button
      variant="filled"
      renderRoot={(props) => <Link to="/compare" search={{ ids: ids.join(","), ...base }} {...props} />}
    >
      Compare {plural(ids.length, "job")}
    </Button>
  );
}

/** Pin, and the baseline. */
function Marks({ ids }: { ids: readonly number[] }) {
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
      {ids.length === 1 && only !== undefined && <BaselineButton id={only} />}
    </>
  );
}
