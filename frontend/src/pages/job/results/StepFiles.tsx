/** Every single step of every rank, as files. */
import classes from "./StepFiles.module.css";
import { ROOT } from "../../../api/site";

const FORMATS = [
  ["csv", "CSV"],
  ["ndjson", "NDJSON"],
  ["openmetrics", "OpenMetrics"],
] as const;

export function StepFiles({ jobId }: { jobId: number }) {
  return (
    <p className={`dim ${classes.files}`}>
      Every step of every rank:
      {FORMATS.map(([format, name]) => (
        <a key={format} href={`${ROOT}/api/v1/jobs/${jobId}/steps/export?format=${format}`} download>
          {name}
        </a>
      ))}
    </p>
  );
}
