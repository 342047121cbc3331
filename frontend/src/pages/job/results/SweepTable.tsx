/** One algorithm's rows in nccl-tests' columns. */
import { getRouteApi } from "@tanstack/react-router";
import type { BenchmarkJob, MeasurementView } from "../../../api/types";
import { ScrollX } from "../../../components/controls/ScrollX";
import { Segments } from "../../../components/controls/Segments";
import { Unstable } from "../../../components/marks/Unstable";
import { SimulatedBadge } from "../../../components/marks/SimulatedBadge";
import { busFactorInWords, rowTimeInWords, sizeInWords, uncheckedInWords } from "../../../lib/sweep/caption";
import { isUnstable } from "../../../lib/sweep/cycles";
import { AUTO, whatARankSends } from "../../../lib/collectives";
import { eachOf, threeDigits } from "../../../lib/format";
import { formatSize } from "../../../lib/size";
import { isImported, isSimulated } from "../../../lib/state";
import { choices, sizeRows, type SizeRow } from "./table";
import classes from "./SweepTable.module.css";

const route = getRouteApi("/jobs/$jobId");
const TOOK = "took";
/** What NCCL knew of the buffers, as the transport of a row names it. */
const REGISTRATIONS = ["registered", "symmetric windows"];

interface Props {
  job: BenchmarkJob;
  rows: readonly MeasurementView[];
  isCheckedInPlace: boolean;
  chosen: string | undefined;
  chosenSize: number | null;
  onChoose: (sizeBytes: number) => void;
  hovered: number | null;
  onHover: (sizeBytes: number | null) => void;
}

export function SweepTable({ job, rows, isCheckedInPlace, chosen, chosenSize, onChoose, hovered, onHover }: Props) {
  const navigate = route.useNavigate();
  const { algorithms, average, check, collective, registration } = job.spec.benchmark;
  const isRegistered = Boolean(registration);
  const algorithm = algorithms.find((name) => name === chosen) ?? algorithms[0] ?? "";
  const items = sizeRows(rows, algorithm);
  const isModelled = isSimulated(job, rows);
  const isAuto = algorithm === AUTO;
  const unchecked = uncheckedInWords(check, isCheckedInPlace, isModelled);
  const shown = items.flatMap(({ outOfPlace, inPlace }) => [outOfPlace, inPlace].filter((row) => row !== null));
  const count = isModelled || isImported(job) ? "" : eachOf(shown.map(({ iterations }) => iterations));
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
        <Kind row={items[0]} />
        {!isAuto && !isImported(job) && <Mover transport={items[0]?.transport} />}
      </div>
      {!isImported(job) && <p className={`dim ${classes.about}`}>{whatARankSends(collective, algorithm)}</p>}
      {items.length === 0 ? (
        <p className={`dim ${classes.none}`}>{algorithm} has no row yet.</p>
      ) : (
        <ScrollX label="Every size">
          <table className={classes.table}>
            <caption className="hidden-visually">
              {isModelled ? "Simulated times" : "Measurements"} of {algorithm}, by message size
            </caption>
            <Head busbw={busFactorInWords(job.spec)} time={rowTimeInWords(average)} size={sizeInWords(job.spec)} isAuto={isAuto} isRegistered={isRegistered} />
            <tbody>
              {items.map((item) => (
                <SweepRow
                  key={item.sizeBytes}
                  item={item}
                  unchecked={unchecked}
                  isAuto={isAuto}
                  isRegistered={isRegistered}
                  isHovered={item.sizeBytes === hovered}
                  isChosen={item.sizeBytes === chosenSize}
                  onChoose={onChoose}
                  onHover={onHover}
                />
              ))}
            </tbody>
          </table>
        </ScrollX>
      )}
      <Reasons items={items} />
      <p className={`dim ${classes.notes}`}>
        {sizeInWords(job.spec)}. {count && `${count}. `}{unchecked}
      </p>
    </div>
  );
}

/** Why auto chose this algorithm, row by row; opened by mouse or keyboard. */
function Reasons({ items }: { items: readonly SizeRow[] }) {
  const taken = choices(items);
  if (taken.length === 0) return null;
  return (
    <details className={classes.reasons}>
      <summary>Why auto chose this algorithm</summary>
      <ul>
        {taken.map(({ id, sizeBytes, place, algorithm, because }) => (
          <li key={id}>
            {formatSize(sizeBytes)} {place}: <strong>{algorithm}</strong> <span className="dim">{because}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The type of the elements and the operation: the same at every size. */
function Kind({ row }: { row: SizeRow | undefined }) {
  return <span className="dim">{row && [row.dtype, row.op].filter((word) => word !== "none").join(", ")}</span>;
}

function Mover({ transport }: { transport: string | undefined }) {
  if (transport === "simulated") return <SimulatedBadge />;
  return <span className="dim">{transport && `moved by ${transport.replace("_", " ")}`}</span>;
}

/** Each column with the tooltip that explains it. */
function columnsOf(busbw: string, time: string, isAuto: boolean): [string, string][] {
  const took: [string, string] = [TOOK, "the algorithm that auto chose"];
  return [
    ...(isAuto ? [took] : []),
    ["time (µs)", time],
    ["median (µs)", "of the slowest rank, with the 5th and 95th percentile; unstable: cv above 20 %, or p99 above 10 times the median"],
    ["algbw (GB/s)", "algbw = size / time"],
    ["busbw (GB/s)", busbw],
    ["#wrong", "elements that differ from the exact answer, over all ranks"],
  ];
}

interface HeadProps {
  busbw: string;
  time: string;
  size: string;
  isAuto: boolean;
  isRegistered: boolean;
}

function Head({ busbw, time, size, isAuto, isRegistered }: HeadProps) {
  const columns = columnsOf(busbw, time, isAuto);
  return (
    <thead>
      <tr>
        <td colSpan={isRegistered ? 3 : 2} />
        <th scope="colgroup" colSpan={columns.length} className={classes.group}>
          out of place
        </th>
        <th scope="colgroup" colSpan={columns.length} className={classes.group}>
          in place
        </th>
      </tr>
      <tr>
        <th scope="col" className="number" title={size}>size</th>
        <th scope="col" className="number">elements</th>
        {isRegistered && <th scope="col" title="what NCCL knew of the buffers, by nccl-tests' -R">registration</th>}
        {["out of place", "in place"].flatMap((place) =>
          columns.map(([column, meaning]) => (
            <th key={place + column} scope="col" className={column === TOOK ? classes.group : "number"} title={meaning}>
              <span className="hidden-visually">{place} </span>
              {column}
            </th>
          )),
        )}
      </tr>
    </thead>
  );
}

interface SweepRowProps {
  item: SizeRow;
  /** Why a row may have no check. */
  unchecked: string;
  isAuto: boolean;
  isRegistered: boolean;
  isHovered: boolean;
  isChosen: boolean;
  onChoose: (sizeBytes: number) => void;
  onHover: (sizeBytes: number | null) => void;
}

function SweepRow({ item, unchecked, isAuto, isRegistered, isHovered, isChosen, onChoose, onHover }: SweepRowProps) {
  return (
    <tr data-active={isHovered || undefined} data-chosen={isChosen || undefined} onMouseEnter={() => onHover(item.sizeBytes)} onMouseLeave={() => onHover(null)}>
      <th scope="row" className="number" title={`${item.sizeBytes} B`}>
        <button
          type="button"
          className={classes.size}
          aria-pressed={isChosen}
          title="Look at this size on every part of the page"
          onClick={() => onChoose(item.sizeBytes)}
        >
          {formatSize(item.sizeBytes)}
        </button>
      </th>
      <td className="number">{item.count}</td>
      {isRegistered && <td>{REGISTRATIONS.find((word) => item.transport.includes(word)) ?? "none"}</td>}
      <Cells row={item.outOfPlace} unchecked={unchecked} isAuto={isAuto} />
      <Cells row={item.inPlace} unchecked={unchecked} isAuto={isAuto} />
    </tr>
  );
}

function Cells({ row, unchecked, isAuto }: { row: MeasurementView | null; unchecked: string; isAuto: boolean }) {
  if (!row) return <td colSpan={columnsOf("", "", isAuto).length} className={`number dim ${classes.group}`}>–</td>;
  const between = row.p5_us == null ? "" : `${threeDigits(row.p5_us)} – ${threeDigits(row.p95_us)}`;
  const spread = `min ${threeDigits(row.min_us)}, p50 ${threeDigits(row.p50_us)}, p99 ${threeDigits(row.p99_us)}, max ${threeDigits(row.max_us)} µs, n=${row.iterations}`;
  return (
    <>
      {isAuto && (
        <td className={classes.group} title={row.chosen_because ?? ""}>
          {row.chosen_algorithm}
        </td>
      )}
      <td className={`number ${isAuto ? "" : classes.group}`} title={spread}>
        {threeDigits(row.time_us)}
      </td>
      <td className="number">
        {threeDigits(row.p50_us)}
        {between && <span className={classes.between}> {between}</span>}
        {isUnstable(row) && <Unstable cvPercent={row.cv_percent} />}
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
