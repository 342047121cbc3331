import { Suspense } from "react";
import { lazyPart } from "../../components/lazyPart";
import type { JobView } from "../../api/types";
import { EmptyState } from "../../components/states/EmptyState";
import { ServerCommand } from "../../components/controls/ServerCommand";
import { isTerminal } from "../../lib/state";

const CalledCollectives = lazyPart(async () => (await import("./training/CalledCollectives")).CalledCollectives);

/** Shown instead of charts before there is a row, and for good if the job ended without one. */
export function NoRows({ job }: { job: JobView }) {
  const isOver = isTerminal(job.state);
  const isScript = job.kind === "script";
  return (
    <>
      <div className="card">
        <EmptyState title={isScript ? "No step was seen" : isOver ? `No ${partOf(job)} was measured` : "Nothing is measured yet"}>
          <p>{isOver ? endedWords(job) : "Rows appear here as they are measured."}</p>
          {isOver && (
            <>
              <p>In a terminal:</p>
              <ServerCommand text={`ringscope why ${job.id}`} />
            </>
          )}
        </EmptyState>
      </div>
      {isScript && (
        <Suspense fallback={null}>
          <CalledCollectives job={job} />
        </Suspense>
      )}
    </>
  );
}

function partOf({ kind }: Pick<JobView, "kind">): string {
  return kind === "benchmark" ? "row" : kind === "diagnosis" ? "pair" : kind === "strategy_search" ? "run" : "step";
}

function endedWords({ kind, state }: JobView): string {
  if (kind === "script" && state === "succeeded") return "No step of the script was seen, and it reported none with ringscope.log_step; its output is in the log.";
  if (kind === "strategy_search") return "The search ended before its first run.";
  return `The job ended before its first ${partOf({ kind })}.`;
}
