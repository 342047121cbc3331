import { Button } from "@mantine/core";
import { perfettoPath, type TraceFilter } from "../../data/traces";
import type { Collective, JobView, OperationTrace } from "../../api/types";
import { useCollective } from "../../components/hooks/useCollective";
import { basisOf } from "../../lib/sweep/caveats";
import type { Run } from "../../lib/moves";
import { endInWords } from "../../lib/moveWords";
import type { PlayChange, PlaySearch } from "../../lib/search/playSearch";
import { leftOut, traceCaption, traceNotes } from "./tracedWords";
import { Hops } from "./Hops";
import { Lanes } from "./Lanes";
import { Player } from "./Player";
import { TraceFacts } from "./TraceFacts";

interface Props {
  job: JobView;
  trace: OperationTrace;
  filter: TraceFilter;
  run: Run;
  step: number;
  search: PlaySearch;
  onChange: (change: PlayChange) => void;
}

/** A traced operation: facts, the steps, and the messages in time. */
export function TraceView({ job, trace, filter, run, step, search, onChange }: Props) {
  const reduces = useCollective(trace.collective as Collective)?.reduces ?? true;
  const isSimulated = trace.transport === "simulated";
  return (
    <>
      <TraceFacts trace={trace} />
      <Hops trace={trace} />
      <Player
        run={run}
        step={step}
        end={leftOut(trace) > 0 ? "Later transfers are not shown: there were too many." : endInWords(run, reduces)}
        reduces={reduces}
        search={search}
        paceName={isSimulated ? "model time" : "real time"}
        onChange={onChange}
      />
      <Lanes
        run={run}
        step={step}
        isTable={search.view === "table"}
        basis={basisOf(job, trace.transport)}
        onView={(view) => onChange({ view })}
        perfetto={
          <Button component="a" href={perfettoPath(job.id, filter)} download>
            Save for Perfetto
          </Button>
        }
        more={traceNotes(trace, search.view === "table")}
      >
        {traceCaption(trace)}
      </Lanes>
    </>
  );
}
