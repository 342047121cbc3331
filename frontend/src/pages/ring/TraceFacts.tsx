import type { OperationTrace } from "../../api/types";
import { Fact, factsClass } from "../../components/Fact";
import { formatSeconds } from "../../lib/amount";
import { formatSize } from "../../lib/size";
import { clocksInWords, durationNote, nodesInWords } from "./tracedWords";

/** The operation, its duration, and how exact its times are. */
export function TraceFacts({ trace }: { trace: OperationTrace }) {
  const isSimulated = trace.transport === "simulated";
  const clocks = clocksInWords(trace);
  return (
    <dl className={`card ${factsClass}`}>
      <Amount label="Message" text={formatSize(trace.size_bytes)} note={`${trace.dtype}, ${trace.in_place ? "in place" : "out of place"}`} />
      <Fact label="Ranks" value={trace.ranks.length} note={isSimulated ? "of the simulated cluster" : `${nodesInWords(trace)}, over ${trace.transport}`} />
      <Amount label="The operation took" text={formatSeconds(trace.duration_ns / 1e9)} note={durationNote(trace)} />
      {!isSimulated && (
        <>
          <Amount
            label="By the model"
            text={trace.prediction ? formatSeconds(trace.prediction.duration_ns / 1e9) : "–"}
            note={trace.prediction?.parameters ?? "not priced"}
          />
          <Fact label="Clocks" value={clocks.value} note={clocks.note} />
        </>
      )}
    </dl>
  );
}

/** A number and its unit: "48 KiB". */
function Amount({ label, text, note }: { label: string; text: string; note: string }) {
  const [value, unit = ""] = text.split(" ");
  return <Fact label={label} value={value} unit={unit} note={note} />;
}
