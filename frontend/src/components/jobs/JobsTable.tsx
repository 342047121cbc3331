import { Link } from "@tanstack/react-router";
import { memo, useCallback, useMemo, useRef } from "react";
import type { JobView } from "../../api/types";
import { ScrollX } from "../controls/ScrollX";
import { usePartKeys } from "../hooks/shortcuts";
import { useListKeys } from "../hooks/useListKeys";
import { useWidthStep } from "../hooks/useWidthStep";
import { useWindowed } from "../hooks/useWindowed";
import { nextSort, type Sort } from "../../lib/search/jobFilter";
import type { JobsSearch } from "../../lib/search/search";
import { type Column, columnsFor, RESULT_PX, STEPS_PX } from "./columns";
import { JobRow } from "./JobRow";
import classes from "./JobsTable.module.css";
import { useStandings } from "./useStandings";

/** The height in the style sheet: all rows are equally high, so that only those in view need to exist. */
const ROW_PX = 32;
/** Where the result is shown below the name. */
const TWO_LINES_PX = 52;

/** The selected jobs. */
interface Choice {
  ids: readonly number[];
  onToggle: (id: number) => void;
}

interface Props {
  jobs: readonly JobView[];
  /** Shown above the others, whatever the filter and the order. */
  pinned?: readonly JobView[];
  /** If given, rows can be selected. */
  choice?: Choice;
  /** The job to which differences are shown. */
  baseJob?: JobView | undefined;
  /** If given, headings sort. */
  sorting?: { sort: Sort | undefined };
  /** The number of rows, including those not yet loaded; null: not known. */
  total?: number | null;
}

/** One row per job with its name, state and result. Rows out of view are not in the page. */
export function JobsTable({ jobs, pinned = [], choice, baseJob, sorting, total = null }: Props) {
  const widthPx = useWidthStep(STEPS_PX);
  const isNarrow = widthPx < RESULT_PX;
  const rowPx = isNarrow ? TWO_LINES_PX : ROW_PX;
  const { body, first, end, reveal } = useWindowed(jobs.length, rowPx);
  const above = useRef<HTMLTableSectionElement>(null);
  const revealAny = useCallback((index: number) => (index < 0 ? (above.current?.rows.item(index + pinned.length) ?? null) : reveal(index)), [reveal, pinned.length]);
  useListKeys(jobs.length, revealAny, -pinned.length);
  usePartKeys("rows");
  const standings = useStandings(useMemo(() => [...pinned, ...jobs], [pinned, jobs]), baseJob);
  const columns = useMemo(() => columnsFor(widthPx, baseJob, standings), [widthPx, baseJob, standings]);
  const width = columns.length + (choice ? 1 : 0);
  const rest = (job: JobView) => ({
    columns,
    isBase: job.id === baseJob?.id,
    isChosen: choice?.ids.includes(job.id),
    onToggle: choice?.onToggle,
  });
  return (
    <ScrollX label="Jobs, one row each">
      <table className={classes.jobs} data-narrow={isNarrow || undefined} aria-rowcount={(total ?? jobs.length) + 1}>
        <Head columns={columns} hasChoice={choice !== undefined} sorting={sorting} />
        {pinned.length > 0 && (
          <tbody ref={above} className={classes.pinned} aria-label="Pinned">
            {pinned.map((job, i) => (
              <JobRow key={job.id} job={job} index={i - pinned.length} {...rest(job)} />
            ))}
          </tbody>
        )}
        <tbody ref={body}>
          <Gap heightPx={first * rowPx} columns={width} />
          {jobs.slice(first, end).map((job, i) => (
            <JobRow key={job.id} job={job} index={first + i} {...rest(job)} />
          ))}
          <Gap heightPx={(jobs.length - end) * rowPx} columns={width} />
        </tbody>
      </table>
    </ScrollX>
  );
}

/** What is shown instead of rows. */
function Gap({ heightPx, columns }: { heightPx: number; columns: number }) {
  if (heightPx <= 0) return null;
  return (
    <tr aria-hidden="true" className={classes.gap}>
      <td colSpan={columns} style={{ height: heightPx }} />
    </tr>
  );
}

const CHOICE_PX = 40;

/** Widths are fixed, so that no column moves while rows come and go. */
const Head = memo(function Head({ columns, hasChoice, sorting }: HeadProps) {
  return (
    <>
      <colgroup>
        {hasChoice && <col style={{ width: CHOICE_PX }} />}
        {columns.map(({ name, widthPx }) => (
          <col key={name} {...(widthPx && { style: { width: widthPx } })} />
        ))}
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          {hasChoice && (
            <th scope="col">
              <span className="hidden-visually">Choose</span>
            </th>
          )}
          {columns.map((column) => (
            <Heading key={column.name} column={column} sorted={sorting && sortedBy(column, sorting.sort)} />
          ))}
        </tr>
      </thead>
    </>
  );
});

interface HeadProps {
  columns: readonly Column[];
  hasChoice: boolean;
  sorting: Props["sorting"];
}

/** How the list is sorted by a column; "none" if it is sorted by another one. */
type Sorted = "ascending" | "descending" | "none";
const ARROWS: Record<Sorted, string> = { ascending: "↑", descending: "↓", none: "" };

function sortedBy({ sort }: Column, current: Sort = "-id"): Sorted {
  if (sort && current === `-${sort}`) return "descending";
  return sort === current ? "ascending" : "none";
}

/** A heading; without `sorted` it is only text. */
const Heading = memo(function Heading({ column, sorted }: { column: Column; sorted: Sorted | undefined }) {
  const { heading, meaning, aside, sort, isNumber } = column;
  const cell = { scope: "col", className: isNumber ? "number" : undefined, title: meaning };
  if (!sorted || !sort) return <th {...cell}>{heading}{aside && <span className={classes.aside}> {aside}</span>}</th>;
  return (
    <th {...cell} {...(sorted !== "none" && { "aria-sort": sorted })}>
      <Link
        to="/jobs"
        search={(old: JobsSearch) => ({ ...old, sort: nextSort(old.sort, sort) }) as object}
        replace
        resetScroll={false}
        preload={false}
        className={classes.sort}
      >
        {heading}
        <span aria-hidden="true" className={classes.arrow}>
          {ARROWS[sorted]}
        </span>
      </Link>
    </th>
  );
});
