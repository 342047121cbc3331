/** The phase of each node or the newest step of each rank, live. Drawn inside of `Now`, which reserves its height. */
import { Button } from "@mantine/core";
import { useThrottledValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { lazyPart } from "../../../components/lazyPart";
import type { JobView, NewestSteps } from "../../../api/types";
import { QueryError } from "../../../components/states/QueryError";
import { SimulatedBadge } from "../../../components/marks/SimulatedBadge";
import { newestStepsQuery } from "../../../data/job";
import { isBenchmark, isTerminal } from "../../../lib/state";
import { expectedRows, hasLastSteps } from "./stepRows";
import { countWords, shownSteps, slowestWords } from "../../../lib/steps";
import { MembersTable } from "./MembersTable";
import classes from "./Now.module.css";
import { AwaitedSteps, StepsTable } from "./StepsTable";

// Few jobs load for long.
const Loading = lazyPart(async () => (await import("./Loading")).Loading);

/** Numbers that change more often cannot be read; the stream sends them twice a second at most. */
const PACE_MS = 1000;

export function Steps({ job, title }: { job: JobView; title: string }) {
  const hasRanks = job.state === "running" || job.state === "stopping";
  const query = useQuery({ ...newestStepsQuery(job.id), enabled: hasRanks || hasLastSteps(job) });
  const latest = useThrottledValue(query.data, PACE_MS);
  const [held, setHeld] = useState<NewestSteps | null>(null);
  const newest = hasRanks || isTerminal(job.state) ? shownSteps(job, held ?? latest) : null;
  const isSimulated = newest?.items.some((block) => block.transport === "simulated") ?? false;
  return (
    <>
      <div className={`card-head ${classes.head}`}>
        <h2>{title}</h2>
        {isSimulated && <SimulatedBadge />}
        {hasRanks && (
          <Button
            className="spread"
            variant="default"
            size="compact-sm"
            disabled={newest === null && held === null}
            onClick={() => setHeld(held ? null : (latest ?? null))}
          >
            {held ? "Resume" : "Pause"}
          </Button>
        )}
      </div>
      <QueryError what="The newest steps could not be loaded" query={query} />
      <div className={classes.body}>
        <Body job={job} newest={newest} isLoaded={latest !== undefined} />
      </div>
      <p className={`dim ${classes.about}`}>
        {isAwaited(job) && "The current step of each rank appears here once the job runs."}
        {newest && `Means over ${countWords(newest.items)} of what each rank is at. `}
        {newest && "Bars: what the last ones took, on one scale. "}
        {newest && slowestWords(newest)}
      </p>
    </>
  );
}

interface BodyProps {
  job: JobView;
  /** null: there are none. */
  newest: NewestSteps | null;
  isLoaded: boolean;
}

function Body({ job, newest, isLoaded }: BodyProps) {
  const attempt = job.attempts.at(-1);
  if (newest) return <StepsTable newest={newest} isTraining={!isBenchmark(job)} />;
  if (job.state === "starting" && attempt) return <MembersTable attempt={attempt} />;
  if (job.state === "running" && isLoaded) {
    return (
      <Suspense>
        <Loading jobId={job.id} />
      </Suspense>
    );
  }
  if (isAwaited(job)) return <AwaitedSteps ranks={expectedRows(job)} isTraining={!isBenchmark(job)} />;
  return isTerminal(job.state) && (isLoaded || !hasLastSteps(job)) && <p className={`dim ${classes.none}`}>The job ended before a rank reported a step.</p>;
}

/** Whether no rank has been started yet. */
function isAwaited({ state }: JobView): boolean {
  return state === "held" || state === "queued";
}
