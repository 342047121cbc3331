import { Button, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { jobQuery } from "../../data/job";
import { fitQuery } from "../../data/planning";
import type { JobFit } from "../../api/types";
import { Caveats } from "../../components/marks/Caveats";
import { CopyButton } from "../../components/controls/CopyButton";
import { ErrorNote } from "../../components/states/ErrorNote";
import { SimulatedBadge } from "../../components/marks/SimulatedBadge";
import { basisOf } from "../../lib/sweep/caveats";
import { MEASURED, SIMULATED, toCsv } from "../../lib/csv";
import { plural } from "../../lib/format";
import { fitFields } from "./planFit";
import type { PlanSearch } from "../../lib/form/planForm";
import { formatSize } from "../../lib/size";
import classes from "./PlanPage.module.css";
import { RegimeTable } from "./RegimeTable";
import { Residuals } from "./Residuals";

interface Props {
  fit: JobFit | undefined;
  error: Error | null;
  jobId: string | undefined;
  onChange: (change: Partial<Record<keyof PlanSearch, string | undefined>>) => void;
}

/** The sizes of the rows: beyond them nothing was measured. */
function rangeInWords({ residuals }: JobFit): string {
  const sizes = residuals.map((row) => row.size_bytes);
  return `The rows have ${formatSize(Math.min(...sizes))} to ${formatSize(Math.max(...sizes))}; for other sizes the model extrapolates.`;
}

/** The links' figures from a job's measurements, and how well they describe its rows. */
export function FitPanel({ fit, error, jobId, onChange }: Props) {
  const client = useQueryClient();
  const [number, setNumber] = useState(jobId ?? "");
  // Back and forward change the address without this form.
  const [shown, setShown] = useState(jobId);
  if (shown !== jobId) {
    setShown(jobId);
    setNumber(jobId ?? "");
  }
  const [isBad, setBad] = useState(false);
  const { data: job } = useQuery({ ...jobQuery(Number(jobId)), enabled: fit !== undefined && jobId !== undefined });
  const basis = fit?.transport === "simulated" ? SIMULATED : job ? basisOf(job) : MEASURED;
  const take = (event: FormEvent): void => {
    event.preventDefault();
    const isNumber = /^[1-9]\d*$/.test(number.trim());
    setBad(!isNumber);
    if (!isNumber) return;
    const fitting = { fit: number.trim() };
    client.fetchQuery(fitQuery(Number(number))).then(
      (found) => onChange({ ...fitting, ...fitFields(found) }),
      () => onChange(fitting),
    );
  };
  return (
    <section className="card" aria-labelledby="fit">
      <div className="card-head">
        <h2 id="fit">Links as a job measured them</h2>
        {fit && jobId !== undefined && fit.transport === "simulated" && <SimulatedBadge />}
        {fit && jobId !== undefined && job && <Caveats job={job} />}
      </div>
      <form className={`card-body ${classes.fitForm}`} onSubmit={take}>
        <TextInput
          label="Fit α, β and γ to job"
          description="A benchmark of our algorithms; the plan takes its ranks and algorithms"
          inputMode="numeric"
          value={number}
          error={isBad && "Give the number of a job, such as 42."}
          onChange={(event) => setNumber(event.currentTarget.value)}
        />
        <Button type="submit">Fit</Button>
        {jobId !== undefined && (
          <Button
            onClick={() => onChange({ fit: undefined })}
          >
            Describe the links instead
          </Button>
        )}
      </form>
      {error && jobId !== undefined && (
        <div className="card-body">
          <ErrorNote what="There is no fit" error={error} />
        </div>
      )}
      {fit && jobId !== undefined && !error && (
        <div className={`card-body ${classes.fit}`}>
          <div className={classes.fitWords}>
            <p>
              {plural(fit.row_count, "row")} of{" "}
              <Link to="/jobs/$jobId" params={{ jobId: fit.job_id }}>
                job {fit.job_id}
              </Link>{" "}
              over {fit.transport}, {fit.ranks} ranks: median error {(100 * fit.median_error).toFixed(1)} %, R² {fit.r_squared.toFixed(4)}. {rangeInWords(fit)}
            </p>
            <RegimeTable fit={fit} />
            {fit.caveats.length > 0 && <p>{fit.caveats.join(" ")}</p>}
            {fit.left_out.length > 0 && <p className="dim">Left out, because they have no schedule: {fit.left_out.join(", ")}.</p>}
            <div>
              <CopyButton text={() => toCsv(fit.residuals, ["collective", "algorithm", "ranks", "size_bytes", "measured_us", "model_us", "log_ratio"], basis)} label="Copy residuals as CSV" />
            </div>
          </div>
          <Residuals residuals={fit.residuals} />
        </div>
      )}
    </section>
  );
}
