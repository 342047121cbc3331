/** The cost model's prediction for the sweep in the form. */
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { ApiError } from "../../../api/client";
import { predictionQuery, TYPING_MS } from "../../../data/prediction";
import type { BenchmarkSpec, PredictedRow, Prediction } from "../../../api/types";
import type { JobCheck } from "../../../data/prediction";
import { useAnnouncement } from "../../../components/hooks/announcements";
import { isWide, sizeRange } from "../../../lib/sweep/axes";
import { SizeChart } from "../../../charts/SizeChart";
import { Folded } from "../../../components/controls/Folded";
import { Caption } from "../../../components/marks/Caption";
import { LineSwatch } from "../../../components/marks/LineSwatch";
import { Loaded } from "../../../components/states/Loaded";
import { Properties } from "../../../components/Properties";
import { ScrollX } from "../../../components/controls/ScrollX";
import { Skeleton } from "../../../components/states/Skeleton";
import { threeDigits } from "../../../lib/format";
import { predictionItems, predictionNotes, predictionWords } from "./prediction";
import { predictedLines, limitRule } from "../../../lib/sweep/references";
import { formatSize } from "../../../lib/size";
import classes from "../SubmitPage.module.css";
import { Warnings } from "../../../components/states/Warnings";

interface Props {
  spec: BenchmarkSpec;
  /** Null: it is loading. */
  check: JobCheck | null;
}

/** The height of the content, in rows of a table. */
const ROWS = 13;

export function PredictedSweep({ spec, check }: Props) {
  const content = JSON.stringify(spec);
  const [asked] = useDebouncedValue(content, TYPING_MS);
  const settled = useMemo(() => JSON.parse(asked) as BenchmarkSpec, [asked]);
  // A form that the server refuses gets no prediction.
  const prediction = useQuery({ ...predictionQuery(settled), enabled: check !== null });
  const { error, data, isFetching } = prediction;
  const items = useMemo(() => (data ? predictionItems(data, settled) : []), [data, settled]);
  useAnnouncement(isFetching ? "" : items.slice(0, 1).map((item) => item.join(" ")).join());
  // Problems of fields are shown beside them.
  if (error instanceof ApiError && error.status === 422) return <p className="dim">No prediction yet.</p>;
  if (!check) return <Skeleton rows={ROWS} isBare />;
  return (
    <Loaded query={prediction} what="The prediction could not be loaded" rows={ROWS} isBare>
      {(found) => <SweepFigures found={found} items={items} isFetching={isFetching} />}
    </Loaded>
  );
}

interface FiguresProps {
  found: Prediction;
  items: ReturnType<typeof predictionItems>;
  isFetching: boolean;
}

function SweepFigures({ found, items, isFetching }: FiguresProps) {
  return (
    <div className={classes.predicted} aria-busy={isFetching}>
      <Properties items={items} />
      <Warnings warnings={found.warnings} />
      {found.model.rows.length > 0 && <PredictedCurve found={found} />}
    </div>
  );
}

function PredictedCurve({ found }: { found: Prediction }) {
  const lines = useMemo(() => predictedLines(found.model), [found]);
  const range = useMemo(() => sizeRange(found.model.rows.map((row) => row.size_bytes)), [found]);
  return (
    <figure>
      <p>
        Predicted bus bandwidth:{" "}
        {lines.map((line) => (
          <span key={line.name}>
            <LineSwatch line={line} /> {line.name.replace(", model", "")}{" "}
          </span>
        ))}
      </p>
      <SizeChart lines={lines} yLabel="GB/s" isLog={isWide(range)} range={range} rule={limitRule(found, "busbw", lines)} isSmall />
      <Caption more={predictionNotes(found)}>{predictionWords(found)}</Caption>
      <Folded summary={<span className="dim">As a table</span>}>
        <PredictedTable rows={found.model.rows} />
      </Folded>
    </figure>
  );
}

function PredictedTable({ rows }: { rows: readonly PredictedRow[] }) {
  return (
    <ScrollX label="Predicted rows" isTall>
      <table>
        <thead>
          <tr>
            <th scope="col">Algorithm</th>
            <th scope="col" className="number">Size</th>
            <th scope="col" className="number">time (µs)</th>
            <th scope="col" className="number">busbw (GB/s)</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.algorithm} ${row.size_bytes}`}>
              <th scope="row">
                {row.algorithm}
                {row.chosen_algorithm && <span className="dim"> ({row.chosen_algorithm})</span>}
              </th>
              <td className="number">{formatSize(row.size_bytes)}</td>
              <td className="number">{threeDigits(row.time_us)}</td>
              <td className="number">{threeDigits(row.busbw_gb_per_s)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}
