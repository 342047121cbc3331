/** One algorithm's rows in nccl-tests' columns. */
import { getRouteApi } from "@tanstack/react-router";
import type { JobView, MeasurementView } from "../../api/types";
import { ScrollX } from "../../components/ScrollX";
import { Segments } from "../../components/Segments";
import { SimulatedBadge } from "../../components/SimulatedBadge";
import { busFactorInWords, sizeInWords, uncheckedInWords } from "../../lib/caption";
import { whatARankSends } from "../../lib/collectives";
import { threeDigits } from "../../lib/format";
import { formatSize } from "../../lib/size";
import { isSimulated } from "../../lib/state";
import { sizeRows, type SizeRow } from "../../lib/table";
import classes from "./SweepTable.module.css";

const route = getRouteApi("/jobs/$jobId");

interface Props {
  job: JobView;
  rows: readonly MeasurementView[];
  isCheckedInPlace: boolean;
  chosen: string | undefined;
  hovered: number | null;
  onHover: (sizeBytes: number | null) => void;
}

export function SweepTable({ job, rows, isCheckedInPlace, chosen, hovered, onHover }: Props) {
  const navigate = route.useNavigate();
  const { algorithms, check, collective } = job.spec.benchmark;
  const algorithm = algorithms.find((name) => name === chosen) ?? algorithms[0] ?? "";
  const items = sizeRows(rows, algorithm);
  const isModelled = isSimulated(job, rows);
  const unchecked = uncheckedInWords(check, isCheckedInPlace, isModelled);
  return (
    <div className={classes.block}>
      <div className={classes.head}>
        <h3>Every size</h3>
        <Segments
          label="Algorithm"
          value={algorithm}
          options={algorithms.map((name) => [name, name] as const)}
          onChange={(name) => void navigate({ search: (old) => ({ ...old, algorithm: name }), replace: true, resetScroll: false })}
        />
        <Mover transport={items[0]?.transport} />
      </div>
      <p className={`dim ${classes.about}`}>{whatARankSends(collective, algorithm)}</p>
      {items.length === 0 ? (
        <p className={`dim ${classes.none}`}>{algorithm} has no row yet.</p>
      ) : (
        <ScrollX label="Every size">
          <table className={classes.table}>
            <caption className="hidden-visually">
              {isModelled ? "Simulated times" : "Measurements"} of {algorithm}, by message size
            </caption>
            <Head busbw={busFactorInWords(job.spec)} size={sizeInWords(job.spec)} />
            <tbody>
              {items.map((item) => (
                <Row
                  key={item.sizeBytes}
                  item={item}
                  unchecked={unchecked}
                  isHovered={item.sizeBytes === hovered}
                  onHover={onHover}
                />
              ))}
            </tbody>
          </table>
        </ScrollX>
      )}
      <p className={`dim ${classes.notes}`}>
        {sizeInWords(job.spec)}. {unchecked}
      </p>
    </div>
  );
}

function Mover({ transport }: { transport: string | undefined }) {
  if (transport === "simulated") return <SimulatedBadge />;
  return <span className="dim">{transport && `moved by ${transport.replace("_", " ")}`}</span>;
}

/** Each column with the tooltip that explains it. */
function columnsOf(busbw: string): [string, string][] {
  return [
    ["time (µs)", "mean of the timed iterations over all ranks"],
    ["algbw (GB/s)", "algbw = size / time"],
    ["busbw (GB/s)", busbw],
    ["#wrong", "elements that differ from the exact answer, over all ranks"],
  ];
}

function Head({ busbw, size }: { busbw: string; size: string }) {
  return (
    <thead>
      <tr>
        <td colSpan={4} />
        <th scope="colgroup" colSpan={4} className={classes.group}>
          out of place
        </th>
        <th scope="colgroup" colSpan={4} className={classes.group}>
          in place
        </th>
      </tr>
      <tr>
        <th scope="col" className="number" title={size}>size</th>
        <th scope="col" className="number">count (elements)</th>
        <th scope="col">type</th>
        <th scope="col">redop</th>
        {["out of place", "in place"].flatMap((place) =>
          columnsOf(busbw).map(([column, meaning]) => (
            <th key={place + column} scope="col" className="number" title={meaning}>
              <span className="hidden-visually">{place} </span>
              {column}
            </th>
          )),
        )}
      </tr>
    </thead>
  );
}

interface RowProps {
  item: SizeRow;
  /** Why a row may have no check. */
  unchecked: string;
  isHovered: boolean;
  onHover: (sizeBytes: number | null) => void;
}

function Row({ item, unchecked, isHovered, onHover }: RowProps) {
  return (
    <tr data-active={isHovered || undefined} onMouseEnter={() => onHover(item.sizeBytes)} onMouseLeave={() => onHover(null)}>
      <th scope="row" className="number" title={`${item.sizeBytes} B`}>
        {formatSize(item.sizeBytes)}
      </th>
      <td className="number">{item.count}</td>
      <td>{item.dtype}</td>
      <td>{item.op}</td>
      <Cells row={item.outOfPlace} unchecked={unchecked} />
      <Cells row={item.inPlace} unchecked={unchecked} />
    </tr>
  );
}

function Cells({ row, unchecked }: { row: MeasurementView | null; unchecked: string }) {
  if (!row) return <td colSpan={4} className={`number dim ${classes.group}`}>–</td>;
  const spread = `min ${threeDigits(row.min_us)}, p50 ${threeDigits(row.p50_us)}, p99 ${threeDigits(row.p99_us)}, max ${threeDigits(row.max_us)} µs, n=${row.iterations}`;
  return (
    <>
      <td className={`number ${classes.group}`} title={spread}>
        {threeDigits(row.time_us)}
      </td>
      <td className="number">{threeDigits(row.algbw_gb_per_s)}</td>
      <td className="number">{threeDigits(row.busbw_gb_per_s)}</td>
      {row.wrong === null ? (
        <td className="number dim" title={unchecked}>
          N/A
        </td>
      ) : (
        <td className={`number ${row.wrong ? classes.wrong : ""}`}>{row.wrong}</td>
      )}
    </>
  );
}
