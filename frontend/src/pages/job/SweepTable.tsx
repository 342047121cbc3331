/** One algorithm's rows in nccl-tests' columns. */
import { getRouteApi } from "@tanstack/react-router";
import type { MeasurementView } from "../../api/types";
import { Segments } from "../../components/Segments";
import { threeDigits } from "../../lib/format";
import { formatSize } from "../../lib/size";
import { sizeRows, type SizeRow } from "../../lib/table";
import classes from "./SweepTable.module.css";

const route = getRouteApi("/jobs/$jobId");

interface Props {
  rows: readonly MeasurementView[];
  algorithms: readonly string[];
  chosen: string | undefined;
  hovered: number | null;
  onHover: (sizeBytes: number | null) => void;
}

export function SweepTable({ rows, algorithms, chosen, hovered, onHover }: Props) {
  const navigate = route.useNavigate();
  const algorithm = algorithms.find((name) => name === chosen) ?? algorithms[0] ?? "";
  const items = sizeRows(rows, algorithm);
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
        <span className="dim">{items[0]?.transport && `moved by ${items[0].transport.replace("_", " ")}`}</span>
      </div>
      {items.length === 0 ? (
        <p className={`dim ${classes.none}`}>{algorithm} has no row yet.</p>
      ) : (
        <div className="scroll-x">
          <table className={classes.table}>
            <caption className="hidden-visually">Measurements of {algorithm}, by message size</caption>
            <Head />
            <tbody>
              {items.map((item) => (
                <Row key={item.sizeBytes} item={item} isHovered={item.sizeBytes === hovered} onHover={onHover} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function Head() {
  const columns = ["time (µs)", "algbw (GB/s)", "busbw (GB/s)", "#wrong"];
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
        <th scope="col" className="number">size</th>
        <th scope="col" className="number">count (elements)</th>
        <th scope="col">type</th>
        <th scope="col">redop</th>
        {["out of place", "in place"].flatMap((place) =>
          columns.map((column) => (
            <th key={place + column} scope="col" className="number">
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
  isHovered: boolean;
  onHover: (sizeBytes: number | null) => void;
}

function Row({ item, isHovered, onHover }: RowProps) {
  return (
    <tr data-active={isHovered || undefined} onMouseEnter={() => onHover(item.sizeBytes)} onMouseLeave={() => onHover(null)}>
      <th scope="row" className="number" title={`${item.sizeBytes} B`}>
        {formatSize(item.sizeBytes)}
      </th>
      <td className="number">{item.count}</td>
      <td>{item.dtype}</td>
      <td>{item.op}</td>
      <Cells row={item.outOfPlace} />
      <Cells row={item.inPlace} />
    </tr>
  );
}

function Cells({ row }: { row: MeasurementView | null }) {
  if (!row) return <td colSpan={4} className={`number dim ${classes.group}`}>–</td>;
  const spread = `min ${threeDigits(row.min_us)}, p50 ${threeDigits(row.p50_us)}, p99 ${threeDigits(row.p99_us)}, max ${threeDigits(row.max_us)} µs, n=${row.iterations}`;
  return (
    <>
      <td className={`number ${classes.group}`} title={spread}>
        {threeDigits(row.time_us)}
      </td>
      <td className="number">{threeDigits(row.algbw_gb_per_s)}</td>
      <td className="number">{threeDigits(row.busbw_gb_per_s)}</td>
      <td className={`number ${row.wrong ? classes.wrong : ""}`}>{row.wrong ?? "off"}</td>
    </>
  );
}
