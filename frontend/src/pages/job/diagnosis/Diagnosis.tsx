/** A diagnosis: the matrix of the pairs measured so far, the evidence against what is blamed, and what is cleared. */
import { useQuery } from "@tanstack/react-query";
import type { DiagnosisView, JobView } from "../../../api/types";
import { ScrollX } from "../../../components/controls/ScrollX";
import { Caption } from "../../../components/marks/Caption";
import { Loaded } from "../../../components/states/Loaded";
import { percent, plural, threeDigits } from "../../../lib/format";
import { formatSize } from "../../../lib/size";
import { isTerminal } from "../../../lib/state";
import { DrainBlamed } from "./DrainBlamed";
import { diagnosisQuery } from "./diagnosisQuery";
import { megabytes, type WayRate, waysOf } from "./ways";

const MORE =
  "A cell is the middle of the interval that holds the median of single messages with 95 %. The receiving node takes the times. " +
  "The newest measurement of a pair counts; a pair hangs if a message takes longer than the time limit.";

export function Diagnosis({ job }: { job: JobView }) {
  const diagnosis = useQuery(diagnosisQuery(job.id, job.progress.done, isTerminal(job.state)));
  return (
    <Loaded query={diagnosis} what="The diagnosis could not be loaded" rows={8}>
      {(found) => (
        <>
          {found.decided !== null && <Verdict jobId={job.id} found={found} />}
          <section className="card" aria-labelledby="pairs">
            <div className="card-head">
              <h2 id="pairs">Links</h2>
            </div>
            <figure className="card-body">
              <Matrix found={found} />
              <Caption more={MORE}>
                Bandwidth from each row to each column in messages of {formatSize(found.size_bytes)}
                {found.both_ways && ", both ways at the same time"}; {plural(found.pairs.length, "measurement")} in {plural(found.rounds, "round")}.
              </Caption>
            </figure>
          </section>
        </>
      )}
    </Loaded>
  );
}

function Verdict({ jobId, found }: { jobId: number; found: DiagnosisView }) {
  const evidence = found.blamed.flatMap((blamed) => blamed.evidence.map((one) => ({ ...one, blamed })));
  return (
    <section className="card" aria-labelledby="verdict">
      <div className="card-head">
        <h2 id="verdict">Verdict</h2>
      </div>
      <div className="card-body">
        {[...found.sentences, ...found.undecided].map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        <DrainBlamed jobId={jobId} blamed={found.blamed} />
        {evidence.length > 0 && (
          <ScrollX label="Evidence">
            <table>
              <caption className="hidden-visually">Measurements that speak against what is blamed</caption>
              <thead>
                <tr>
                  <th scope="col">Blamed</th>
                  <th scope="col" className="number">Confidence</th>
                  <th scope="col">Pair</th>
                  <th scope="col" className="number">There, MB/s</th>
                  <th scope="col" className="number">Back, MB/s</th>
                </tr>
              </thead>
              <tbody>
                {evidence.map(({ blamed, nodes, there, back, ending }, number) => (
                  <tr key={number}>
                    <th scope="row">{blamed.names.join(", ")}</th>
                    <td className="number">{percent(blamed.confidence)}</td>
                    <td>{nodes.join(" and ")}</td>
                    <td className="number">{there ? interval(there) : ending}</td>
                    <td className="number">{back ? interval(back) : ending}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollX>
        )}
      </div>
    </section>
  );
}

function Matrix({ found: { nodes, pairs } }: { found: DiagnosisView }) {
  const at = waysOf(pairs);
  return (
    <ScrollX label="Bandwidth between nodes in MB/s" isTall>
      <table>
        <thead>
          <tr>
            <th scope="col">MB/s</th>
            {nodes.map((name) => (
              <th key={name} scope="col" className="number">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {nodes.map((row) => (
            <tr key={row}>
              <th scope="row">{row}</th>
              {nodes.map((column) => {
                const way = at(row, column);
                const latency = way?.pair.latency_us;
                const title = way?.rate ? `${interval(way.rate)} MB/s, ${plural(way.rate.messages, "message")}${latency == null ? "" : `, ${threeDigits(latency)} µs`}` : undefined;
                return (
                  <td key={column} className="number" title={title}>
                    {row === column ? "" : way ? (way.rate ? threeDigits(megabytes(way.rate)) : way.pair.ending) : "–"}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

function interval({ low, high }: WayRate): string {
  return `${threeDigits(low / 1e6)} to ${threeDigits(high / 1e6)}`;
}
