/** A diagnosis: the matrix of the pairs measured so far, the evidence against what is blamed, and what is cleared. */
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { DiagnosisView, JobView } from "../../../api/types";
import { ScrollX } from "../../../components/controls/ScrollX";
import { LinkDialog, LinkFigure, type Two } from "../../../components/links/LinkFigure";
import { cellClass, MOST_WITH_FIGURES, moveFocus } from "../../../components/links/LinkTable";
import { rackLinksQuery } from "../../../components/links/manyLinksQuery";
import { MOST_IN_MATRIX } from "../../../components/links/matrix";
import { RackFigure } from "../../../components/links/RackFigure";
import { Caption } from "../../../components/marks/Caption";
import { Loaded } from "../../../components/states/Loaded";
import { nodesQuery } from "../../../data/nodes";
import { percent, plural, threeDigits } from "../../../lib/format";
import { formatSize } from "../../../lib/size";
import { isTerminal } from "../../../lib/state";
import { DrainBlamed } from "./DrainBlamed";
import { diagnosisQuery } from "./diagnosisQuery";
import classes from "./Diagnosis.module.css";
import { linksOf, type Unit, unitOf, type WayRate, waysOf } from "./ways";

const MORE =
  "A cell is the middle of the interval that holds the median of single messages with 95 %. The receiving node takes the times. " +
  "The newest measurement of a pair counts; a pair hangs if a message takes longer than the time limit.";

export function Diagnosis({ job }: { job: JobView }) {
  const isMany = job.spec.placement.ranks / (job.spec.placement.ranks_per_node ?? 1) > MOST_IN_MATRIX;
  const isOver = isTerminal(job.state);
  const diagnosis = useQuery(diagnosisQuery(job.id, job.progress.done, isOver, isMany));
  return (
    <Loaded query={diagnosis} what="The diagnosis could not be loaded" rows={8}>
      {(found) => (
        <>
          {found.decided !== null && <Verdict jobId={job.id} found={found} />}
          <section className="card" aria-labelledby="pairs">
            <div className="card-head">
              <h2 id="pairs">Links</h2>
            </div>
            {isMany ? <Racks job={job} found={found} isOver={isOver} /> : found.nodes.length > MOST_WITH_FIGURES ? <ManyNodes jobId={job.id} found={found} /> : <FewNodes found={found} />}
          </section>
        </>
      )}
    </Loaded>
  );
}

function Verdict({ jobId, found }: { jobId: number; found: DiagnosisView }) {
  const unit = unitOf(found.blamed.flatMap((blamed) => blamed.evidence));
  const evidence = found.blamed.flatMap((blamed) => blamed.evidence.map((one) => ({ ...one, blamed })));
  return (
    <section className="card" aria-labelledby="verdict">
      <div className="card-head">
        <h2 id="verdict">Verdict</h2>
      </div>
      <div className={`card-body ${classes.verdict}`}>
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
                  <th scope="col" className="number">There, {unit.word}</th>
                  <th scope="col" className="number">Back, {unit.word}</th>
                </tr>
              </thead>
              <tbody>
                {evidence.map(({ blamed, nodes, rail, there, back, ending }, number) => (
                  <tr key={number}>
                    <th scope="row">{withRail(blamed.names, blamed.rail).join(", ")}</th>
                    <td className="number">{percent(blamed.confidence)}</td>
                    <td className={classes.pair}>{withRail(nodes, rail).join(" and ")}</td>
                    <td className="number">{there ? interval(there, unit) : ending}</td>
                    <td className="number">{back ? interval(back, unit) : ending}</td>
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

function About({ found, measurements }: { found: DiagnosisView; measurements: number }) {
  return (
    <Caption more={MORE}>
      Bandwidth from each row to each column in messages of {formatSize(found.size_bytes)}
      {found.both_ways && ", both ways at the same time"}{found.per === "rail" && ", of the slowest rail, whose number r0, r1, … is beside it"}; {plural(measurements, "measurement")} in {plural(found.rounds, "round")}.
    </Caption>
  );
}

/** The nodes of a diagnosis with their racks. */
function useRacked(found: DiagnosisView) {
  const known = useQuery(nodesQuery).data;
  return useMemo(() => {
    const racks = new Map(known?.map(({ name, rack }) => [name, rack]));
    return found.nodes.map((name) => ({ name, rack: racks.get(name) ?? null }));
  }, [known, found]);
}

/** The word for a pair that hung or died, and was not measured later. */
function useEnded(found: DiagnosisView) {
  const at = useMemo(() => waysOf(found.pairs), [found]);
  return (a: string, b: string): string | undefined => {
    const way = at(a, b);
    return way && !way.rate ? way.pair.ending : undefined;
  };
}

/** The matrix without figures, as on the page of nodes. */
function ManyNodes({ jobId, found }: { jobId: number; found: DiagnosisView }) {
  const links = useMemo(() => linksOf(jobId, found), [jobId, found]);
  return <LinkFigure nodes={useRacked(found)} links={links} ended={useEnded(found)} about={() => <About found={found} measurements={found.pairs.length} />} />;
}

/** The racks of very many nodes, whose pairs are asked for by racks. */
function Racks({ job, found, isOver }: { job: JobView; found: DiagnosisView; isOver: boolean }) {
  const racks = useQuery(rackLinksQuery(job.id, !isOver));
  const [nodes, ended] = [useRacked(found), useEnded(found)];
  const about = () => <About found={found} measurements={job.progress.done} />;
  return (
    <Loaded query={racks} what="The links could not be loaded" rows={8}>
      {(links) => <RackFigure nodes={nodes} racks={links} job={job.id} isMeasuring={!isOver} ended={ended} about={about} />}
    </Loaded>
  );
}

function FewNodes({ found }: { found: DiagnosisView }) {
  const [opened, setOpened] = useState<Two | null>(null);
  return (
    <figure className="card-body">
      <Matrix found={found} onOpen={(a, b) => setOpened([a, b])} />
      <About found={found} measurements={found.pairs.length} />
      <LinkDialog link={opened} rail={opened && waysOf(found.pairs)(...opened)?.pair.rail} onClose={() => setOpened(null)} />
    </figure>
  );
}

function Matrix({ found: { nodes, pairs }, onOpen }: { found: DiagnosisView; onOpen: (a: string, b: string) => void }) {
  const at = waysOf(pairs);
  const unit = unitOf(pairs);
  return (
    <ScrollX label={`Bandwidth between nodes in ${unit.word}`} isTall>
      <table>
        <thead>
          <tr>
            <th scope="col">{unit.word}</th>
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
                const rail = way?.pair.rail == null ? "" : ` r${way.pair.rail}`;
                const title = way?.rate ? `${interval(way.rate, unit)} ${unit.word}, ${plural(way.rate.messages, "message")}${latency == null ? "" : `, ${threeDigits(latency)} µs`}` : undefined;
                return (
                  <td key={column} className="number" title={title}>
                    {row === column ? "" : way?.rate ? (
                      <button type="button" className={cellClass} aria-label={`${row} to ${column}: ${middle(way.rate, unit)} ${unit.word}${rail}`} onKeyDown={moveFocus} onClick={() => onOpen(row, column)}>
                        {middle(way.rate, unit)}{rail}
                      </button>
                    ) : way ? way.pair.ending + rail : "–"}
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

function withRail(names: readonly string[], rail: number | null | undefined): string[] {
  return names.map((name) => (rail == null ? name : `${name} rail ${rail}`));
}

function interval({ low, high }: WayRate, { bytes }: Unit): string {
  return `${threeDigits(low / bytes)} to ${threeDigits(high / bytes)}`;
}

function middle({ low, high }: WayRate, { bytes }: Unit): string {
  return threeDigits((low + high) / 2 / bytes);
}
