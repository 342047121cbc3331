import { Link } from "@tanstack/react-router";
import type { LinkView } from "../../api/types";
import { unstableWords } from "../../lib/sweep/caveats";
import { formatDateTime, threeDigits } from "../../lib/format";
import { formatSize } from "../../lib/size";
import { CaveatSign } from "../marks/Caveats";

/** The bus bandwidth between two nodes in GB/s, with a link to the job that measured it. */
export function MeasuredLink({ link }: { link: LinkView }) {
  const about = `${link.algorithm} over ${link.transport}, ${formatSize(link.size_bytes)}${link.iterations == null ? "" : `, n=${link.iterations}`}, job ${link.job_id}, ${formatDateTime(link.measured_at)}`;
  const found = [
    ...(link.disturbed_by ? [{ word: "disturbed", why: link.disturbed_by }] : []),
    ...(link.is_unstable ? [{ word: "unstable", why: unstableWords() }] : []),
  ];
  return (
    <>
      {found.length > 0 && <CaveatSign found={found} />}
      <Link to="/jobs/$jobId" params={{ jobId: link.job_id }} title={about}>
        {threeDigits(link.busbw_gb_per_s)}
      </Link>
    </>
  );
}
