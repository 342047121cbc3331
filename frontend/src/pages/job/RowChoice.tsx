import { NativeSelect } from "@mantine/core";
import type { BenchmarkJob } from "../../api/types";
import { Segments } from "../../components/controls/Segments";
import { Swatch } from "../../components/marks/Swatch";
import type { RowOptions } from "./chosenRow";
import { formatSize } from "../../lib/size";
import classes from "./results/Results.module.css";
import { useView } from "./useView";

/** The choice of the sweep's row; it is the same for every part of the page. */
export function RowChoice({ job, options }: { job: BenchmarkJob; options: RowOptions }) {
  const [, set] = useView();
  const { algorithms } = job.spec.benchmark;
  return (
    <div className={classes.choice}>
      <Swatch algorithm={options.algorithm} inPlace={options.inPlace} />
      {algorithms.length > 4 ? (
        <NativeSelect
          size="xs"
          aria-label="Algorithm"
          value={options.algorithm}
          data={[...algorithms]}
          onChange={(event) => set({ algorithm: event.currentTarget.value })}
        />
      ) : (
        <Segments
          label="Algorithm"
          value={options.algorithm as string}
          options={algorithms.map((name) => [name, name] as const)}
          onChange={(algorithm) => set({ algorithm })}
        />
      )}
      <Segments
        label="Buffers"
        value={options.inPlace ? "in" : "out"}
        options={[["out", "out of place"], ["in", "in place"]]}
        onChange={(place) => set({ place: place === "in" ? place : undefined })}
      />
      <NativeSelect
        size="xs"
        aria-label="Message size"
        value={options.chosen ? String(options.chosen.size_bytes) : ""}
        data={options.rows.map((row) => ({ value: String(row.size_bytes), label: formatSize(row.size_bytes) }))}
        onChange={(event) => set({ size: event.currentTarget.value })}
      />
    </div>
  );
}
