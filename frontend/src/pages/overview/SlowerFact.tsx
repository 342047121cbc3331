/** What became slower since the day before, with the way to its comparison. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Suspense } from "react";
import { Fact } from "../../components/Fact";
import { lazyPart } from "../../components/lazyPart";
import { regressionsQuery } from "../../data/comparison";
import { plural, shortList, threeDigits } from "../../lib/format";
import { formatSize } from "../../lib/size";

// Few overviews need it.
const DiagnoseJob = lazyPart(async () => (await import("../../components/DiagnoseJob")).default);

const LABEL = "Slower than the day before";
const MOST_NODES = 2;

export function SlowerFact() {
  const { data, isError } = useQuery(regressionsQuery);
  if (!data) return <Fact label={LABEL} value="–" note={isError ? "it could not be loaded" : "…"} />;
  const [worst, ...others] = data.items;
  if (!worst) {
    const why = data.pairs > 0 ? `${plural(data.pairs, "benchmark")} compared` : "no undisturbed benchmark ran on both days";
    return <Fact label={LABEL} value={data.pairs > 0 ? 0 : "–"} note={why} />;
  }
  const { algorithm, size_bytes: size, nodes, ratio, job_id: id, base_job_id: base } = worst;
  return (
    <Fact
      label={LABEL}
      value={data.items.length}
      note={
        <>
          {algorithm} at {formatSize(size)} on {shortList(nodes, MOST_NODES)} takes {threeDigits(ratio)} times as long:{" "}
          <Link to="/compare" search={{ ids: `${base},${id}`, algorithm }}>
            compare job&nbsp;{id} with {base}
          </Link>
          {others.length > 0 && `; ${others.length} more`}{" "}
          <Suspense>
            <DiagnoseJob jobId={id} />
          </Suspense>
        </>
      }
    />
  );
}
