import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { BenchmarkJob } from "../../../api/types";
import { Fact } from "../../../components/Fact";
import { useStandings } from "../../../components/jobs/useStandings";
import { jobQuery } from "../../../data/job";
import { standingWords } from "../../../lib/sweep/standing";

/** How much faster the job was than its base job; nothing if there is no such job. */
export function Difference({ job, baseId }: { job: BenchmarkJob; baseId: number }) {
  const base = useQuery(jobQuery(baseId)).data;
  const standing = useStandings([job], base).get(job.id);
  if (!base) return null;
  const found = standing && standingWords(standing);
  const to = <Link to="/jobs/$jobId" params={{ jobId: base.id }}>job {base.id}</Link>;
  return (
    <Fact
      label="Against base job"
      value={found?.text ?? "–"}
      note={
        <>
          to {to}
          {found && `: ${found.why}`}
        </>
      }
    />
  );
}
