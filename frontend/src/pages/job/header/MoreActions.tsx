/** What is rarely done with a job; the content of its panel "More". */
import { Link } from "@tanstack/react-router";
import type { JobView } from "../../../api/types";
import { BaseButton } from "../../../components/controls/BaseButton";
import { useRole } from "../../../components/hooks/useRole";
import { nextStep, RUN_AGAIN } from "../../../lib/nextStep";
import { DEEDS } from "../../../lib/search/keys";
import { bestBusbw, isImported } from "../../../lib/state";
import { NextStepLink } from "../situation/NextStepLink";
import { useTraces } from "../useTraces";
import { GraphLinks } from "./GraphLinks";
import { Share } from "./ShareDialog";

export function MoreActions({ job }: { job: JobView }) {
  const { mayChange, isAdmin } = useRole();
  const mayRun = mayChange && !isImported(job);
  const traces = useTraces(job).data?.length ?? 0;
  const from = String(job.id);
  return (
    <>
      {job.state === "succeeded" && bestBusbw(job) !== null && <BaseButton id={job.id} />}
      {isAdmin && <Share />}
      {/* The card proposes it for most jobs that have ended. */}
      {mayRun && nextStep(job)?.label !== RUN_AGAIN && <NextStepLink step={{ label: RUN_AGAIN, search: { from } }} />}
      {mayRun && (
        <Link to="/settings/schedules" search={{ job: from }}>
          {DEEDS.repeat}
        </Link>
      )}
      {traces > 0 && (
        <Link to="/jobs/$jobId/ring" params={{ jobId: job.id }} title="What its ranks did, step by step">
          Ring
        </Link>
      )}
      <GraphLinks job={job} />
    </>
  );
}
