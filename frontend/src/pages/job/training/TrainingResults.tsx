import type { JobView } from "../../../api/types";
import { Buckets } from "./Buckets";
import { TrainingCurve } from "./TrainingCurve";
import { Epochs } from "./Epochs";

/** The reports of training: its curve, the timeline within a step, and last its epochs, whose number grows. */
export function TrainingResults({ job }: { job: JobView }) {
  return (
    <>
      <TrainingCurve job={job} />
      <Buckets job={job} />
      <Epochs job={job} />
    </>
  );
}
