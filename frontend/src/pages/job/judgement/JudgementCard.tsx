/** Whether the bandwidth is what was to be expected: one sentence, and the sizes with their references on request. */
import { useQuery } from "@tanstack/react-query";
import type { BandwidthJudgement } from "../../../api/types";
import DiagnoseJob from "../../../components/DiagnoseJob";
import { ScrollX } from "../../../components/controls/ScrollX";
import { QueryError } from "../../../components/states/QueryError";
import { Skeleton } from "../../../components/states/Skeleton";
import { threeDigits } from "../../../lib/format";
import { formatSize } from "../../../lib/size";
import { Bullets, type SizeJudgement } from "./Bullets";
import { judgementLook } from "../../../lib/judgement";
import { judgementQuery } from "./query";

type Reference = BandwidthJudgement["references"][number];

export function JudgementCard({ jobId }: { jobId: number }) {
  const judgement = useQuery(judgementQuery(jobId));
  return (
    <section className="card" aria-labelledby="judgement">
      <div className="card-head">
        <h2 id="judgement">Is my number OK?</h2>
      </div>
      <div className="card-body" style={{ display: "grid", gridTemplateColumns: "minmax(0, 1fr)", gap: 10 }}>
        <QueryError what="The judgement could not be loaded" query={judgement} />
        {judgement.isPending && <Skeleton rows={2} isBare />}
        {judgement.data && <Judged judgement={judgement.data} />}
        {judgement.data?.word.startsWith("low") && <DiagnoseJob jobId={jobId} />}
      </div>
    </section>
  );
}

function Judged({ judgement }: { judgement: BandwidthJudgement }) {
  const { glyph, tone } = judgementLook(judgement.word);
  const sizes = judgement.sizes.filter(({ references }) => references.length > 0);
  return (
    <>
      <p style={{ fontSize: 16, fontWeight: 500 }}>
        <span style={{ padding: "1px 8px", whiteSpace: "nowrap", borderRadius: 5, color: `var(--${tone})`, background: `var(--${tone}-soft)` }}>
          {glyph} {judgement.word}
        </span>{" "}
        {judgement.sentence}
      </p>
      {sizes.length > 0 && (
        <details>
          <summary>Sizes and references</summary>
          <Bullets sizes={sizes} />
          <ScrollX label="References of each size" isTall>
            <table>
              <thead>
                <tr>
                  <th scope="col" className="number">Size</th>
                  <th scope="col">Place</th>
                  <th scope="col">Is</th>
                  <th scope="col">Reference</th>
                  <th scope="col" className="number">Expected (GB/s)</th>
                  <th scope="col" className="number">From</th>
                  <th scope="col" className="number">To</th>
                  <th scope="col">Source</th>
                </tr>
              </thead>
              <tbody>
                {sizes.map((size) => (
                  <Size key={`${size.size_bytes}/${size.in_place}`} size={size} />
                ))}
              </tbody>
            </table>
          </ScrollX>
        </details>
      )}
      <p className="dim">
        Compared with earlier runs here, else with published ones, else with the model. The limit is that of the links. (Judgement {judgement.version})
      </p>
    </>
  );
}

function Size({ size }: { size: SizeJudgement }) {
  return (
    <>
      {size.references.map((reference, i) => (
        <tr key={i}>
          <th scope="row" className="number">{formatSize(size.size_bytes)}</th>
          <td>{size.in_place ? "in place" : "out of place"}</td>
          <td>{size.word}</td>
          <td>{reference.kind}</td>
          <td className="number">{threeDigits(reference.busbw_gb_per_s)}</td>
          <td className="number">{threeDigits(reference.low_gb_per_s)}</td>
          <td className="number">{threeDigits(reference.high_gb_per_s)}</td>
          <td style={{ whiteSpace: "nowrap" }}>
            <Source reference={reference} />
          </td>
        </tr>
      ))}
    </>
  );
}

/** Only an address of the web becomes a link: a site's own rows may name anything. */
function Source({ reference }: { reference: Reference }) {
  const { source, url, date } = reference;
  const words = date ? `${source} (${date})` : source;
  return url?.startsWith("https://") ? (
    <a href={url} rel="noreferrer">
      {words}
    </a>
  ) : (
    <>{words}</>
  );
}
