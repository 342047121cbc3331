import type { JobView } from "../../../api/types";
import { Buckets } from "./Buckets";
import { Curve } from "./Curve";
import { Epochs } from "./Epochs";

/** What training told of itself: its curve, where its steps waited for the network, and last its epochs, which grow. */
export function TrainingResults({ job }: { job: JobView }) {
  return (
    <>
      <Curve job={job} />
      <Buckets job={job} />
      <Epochs job={job} />
    </>
  );
}
