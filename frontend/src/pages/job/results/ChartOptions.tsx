/** The choices of a sweep's chart, in the panel "Options". */
import { NativeSelect } from "@mantine/core";
import { Option } from "../../../components/controls/Option";
import { Segments } from "../../../components/controls/Segments";
import { SpreadSwitch } from "../../../components/controls/SpreadSwitch";
import type { JobSearch } from "../../../lib/search/search";
import { formatSize } from "../../../lib/size";
import type { useView } from "../useView";
import classes from "./Results.module.css";
import type { BesideMeasured } from "./useBeside";

export interface OptionsProps {
  search: JobSearch;
  set: ReturnType<typeof useView>[1];
  beside: BesideMeasured;
  isLog: boolean;
  /** The sizes between which the verdict's range can be chosen. */
  sizes: readonly number[];
}

export function ChartOptions({ search, set, beside, isLog, sizes }: OptionsProps) {
  return (
    <>
      {sizes.length > 0 && <SizeRangeChoice search={search} set={set} sizes={sizes} />}
      <Option label="Statistic">
        <Segments
          label="Statistic"
          value={search.stat ?? "mean"}
          options={[["mean", "mean"], ["median", "median"]]}
          onChange={(stat) => set({ stat: stat === "mean" ? undefined : stat })}
        />
      </Option>
      <Option label="Buffers">
        <Segments
          label="Buffers"
          value={search.place ?? "out"}
          options={[["out", "out of place"], ["in", "in place"], ["both", "both"]]}
          onChange={(place) => set({ place: place === "out" ? undefined : place })}
        />
      </Option>
      {beside.choices.length > 0 && (
        <Option label="Reference">
          <Segments label="Reference" value={beside.shown} options={beside.choices} onChange={beside.choose} />
        </Option>
      )}
      <Option label="View">
        <Segments
          label="View"
          value={search.view ?? "chart"}
          options={[["chart", "chart"], ["table", "table"]]}
          onChange={(view) => set({ view: view === "chart" ? undefined : view })}
        />
      </Option>
      {search.view !== "table" && (
        <>
          <Option label="Spread">
            <SpreadSwitch band={search.band} onChange={(band) => set({ band })} />
          </Option>
          {search.metric !== "time" && (
            <Option label="Vertical axis">
              <Segments
                label="Vertical axis"
                value={isLog ? "log" : "linear"}
                options={[["linear", "linear"], ["log", "log"]]}
                onChange={(y) => set({ y })}
              />
            </Option>
          )}
        </>
      )}
    </>
  );
}

/** The sizes that the verdict is about; the chart has the same choice for a pointer. */
function SizeRangeChoice({ search, set, sizes }: Pick<OptionsProps, "search" | "set" | "sizes">) {
  const known = sizes.filter((size) => size > 0);
  const min = known.find((size) => size >= Number(search.min_bytes ?? 0)) ?? known[0];
  const max = known.findLast((size) => size <= Number(search.max_bytes ?? Infinity)) ?? known.at(-1);
  const choices = (fits: (size: number) => boolean) => known.filter(fits).map((size) => ({ value: String(size), label: formatSize(size) }));
  return (
    <Option label="Sizes">
      <span className={classes.choice}>
        <NativeSelect
          aria-label="Smallest size"
          value={min}
          data={choices((size) => size <= (max ?? Infinity))}
          onChange={({ currentTarget: { value } }) => set({ min_bytes: value === String(known[0]) ? undefined : value })}
        />
        to
        <NativeSelect
          aria-label="Largest size"
          value={max}
          data={choices((size) => size >= (min ?? 0))}
          onChange={({ currentTarget: { value } }) => set({ max_bytes: value === String(known.at(-1)) ? undefined : value })}
        />
      </span>
    </Option>
  );
}
