import type { JobView } from "../../../api/types";
import { isBenchmark } from "../../../lib/state";
import { JudgementCard } from "../judgement/JudgementCard";
import { Configuration } from "./Configuration";
import { Environment } from "./Environment";
import classes from "../JobPage.module.css";

/** The judgement of its bandwidth, the specification, and the environment in which it ran. */
export function SetUp({ job }: { job: JobView }) {
  return (
    <>
      {isBenchmark(job) && job.state === "succeeded" && <JudgementCard jobId={job.id} />}
      <div className={classes.columns}>
        <Configuration job={job} />
        <Environment job={job} />
      </div>
    </>
  );
}
