/** The collectives that a script called, by size. Updates while the job runs. */
import { useQuery } from "@tanstack/react-query";
import type { CalledCollective, JobView } from "../../../api/types";
import { CopyButton } from "../../../components/controls/CopyButton";
import { ScrollX } from "../../../components/controls/ScrollX";
import { Loaded } from "../../../components/states/Loaded";
import { Caption } from "../../../components/marks/Caption";
import { collectivesQuery } from "../../../data/insides";
import { allColumns, toCsv } from "../../../lib/csv";
import { formatCount, plural, threeDigits } from "../../../lib/format";
import { formatSize } from "../../../lib/size";
import { isTerminal } from "../../../lib/state";
import { basisOf } from "../../../lib/sweep/caveats";

const CSV_COLUMNS = allColumns<CalledCollective>()([
  "collective", "least_bytes", "mean_bytes", "ranks", "calls", "bytes", "time_us", "algbw_gb_per_s",
]);

export function CalledCollectives({ job }: { job: JobView }) {
  const called = useQuery(collectivesQuery(job.id, isTerminal(job.state)));
  return (
    <Loaded query={called} what="The collectives could not be loaded" rows={0}>
      {({ items, ranks }) => items.length > 0 && <CollectivesCard job={job} lines={items} ranks={ranks} />}
    </Loaded>
  );
}

function CollectivesCard({ job, lines, ranks }: { job: JobView; lines: readonly CalledCollective[]; ranks: number }) {
  return (
    <section className="card" aria-labelledby="collectives">
      <div className="card-head">
        <h2 id="collectives">Collectives</h2>
        <CopyButton text={() => toCsv(lines, CSV_COLUMNS, basisOf(job))} label="Copy CSV" />
      </div>
      <figure className="card-body">
        <CollectivesTable lines={lines} ranks={ranks} />
        <Caption more={ABOUT}>Calls of one rank through torch.distributed and DDP, by size; the time of a call includes the wait for late ranks.</Caption>
      </figure>
    </section>
  );
}

const ABOUT =
  "Calls with sizes between a power of two and the next one are one row with their mean size; a call's size is the larger of its input and its result. " +
  "If ranks differ, the calls are those of the rank with most calls. The time is the median over ranks of each rank's median time of a call. " +
  "The time of a step's DDP sums is divided among its buckets in proportion to their bytes. " +
  "The time is not known where a call returns before its end, as with async_op or on a GPU.";

export function CollectivesTable({ lines, ranks }: { lines: readonly CalledCollective[]; ranks: number }) {
  const isOfSome = lines.some((line) => line.ranks !== ranks);
  return (
    <ScrollX label="Collectives, one row for each size" isTall>
      <table>
        <caption className="hidden-visually">Calls, bytes, time and bandwidth of each collective</caption>
        <thead>
          <tr>
            <th scope="col">Collective</th>
            <th scope="col" className="number">Size</th>
            <th scope="col" className="number">Calls</th>
            <th scope="col" className="number">Bytes</th>
            <th scope="col" className="number">Time (ms)</th>
            <th scope="col" className="number">algbw (GB/s)</th>
            {isOfSome && <th scope="col" className="number">Called by</th>}
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={`${line.collective}/${line.least_bytes}`}>
              <th scope="row">{line.collective}</th>
              <td className="number">{line.least_bytes > 0 ? formatSize(line.mean_bytes) : "–"}</td>
              <td className="number">{formatCount(line.calls)}</td>
              <td className="number">{line.bytes > 0 ? formatSize(line.bytes) : "–"}</td>
              <td className="number">{line.time_us == null ? "not known" : threeDigits(line.time_us / 1000)}</td>
              <td className="number">{line.algbw_gb_per_s == null ? "–" : threeDigits(line.algbw_gb_per_s)}</td>
              {isOfSome && <td className="number">{plural(line.ranks, "rank")}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}
