import { NativeSelect } from "@mantine/core";
import type { TracedOperation } from "../../api/types";
import { Segments } from "../../components/controls/Segments";
import { formatSize } from "../../lib/size";
import { searchOf, type TracedSearch, type TraceOptions } from "../../lib/search/tracedSearch";
import classes from "./RingPage.module.css";

interface Props {
  options: TraceOptions;
  chosen: TracedOperation;
  onChoose: (search: TracedSearch) => void;
}

/** The choice of the traced operation. */
export function TraceChoice({ options, chosen, onChoose }: Props) {
  const choose = (change: Partial<TracedOperation>): void => onChoose(searchOf({ ...chosen, ...change }));
  return (
    <section className={`card ${classes.choice}`} aria-label="Which operation">
      <NativeSelect
        size="xs"
        aria-label="Algorithm"
        value={chosen.algorithm}
        data={options.algorithms}
        onChange={(event) => choose({ algorithm: event.currentTarget.value })}
      />
      {chosen.chosen_algorithm && <span className="dim">auto took {chosen.chosen_algorithm}</span>}
      <NativeSelect
        size="xs"
        aria-label="Message size"
        value={String(chosen.size_bytes)}
        data={options.sizes.map((size) => ({ value: String(size), label: formatSize(size, true) }))}
        onChange={(event) => choose({ size_bytes: Number(event.currentTarget.value) })}
      />
      {options.places.length > 1 && (
        <Segments
          label="Buffers"
          value={chosen.in_place ? "in" : "out"}
          options={[["out", "out of place"], ["in", "in place"]]}
          onChange={(place) => choose({ in_place: place === "in" })}
        />
      )}
      <p className="dim" role="status">
        {!options.isAsked && "The operation in the address was not traced; this is the nearest one that was."}
      </p>
    </section>
  );
}
