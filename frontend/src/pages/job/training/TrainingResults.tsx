import type { JobView } from "../../../api/types";
import { Buckets } from "./Buckets";
import { TrainingCurve } from "./TrainingCurve";
import { Epochs } from "./Epochs";

/** What training told of itself: its curve, where its steps waited for the network, and last its epochs, which grow. */
export function TrainingResults({ job }: { job: JobView }) {
  return (
    <>
      <TrainingCurve job={job} />
      <Buckets job={job} />
      <Epochs job={job} />
    </>
  );
}
