import { useQuery } from "@tanstack/react-query";
import { nodeRasQuery } from "../../data/nodes";
import { Loaded } from "../../components/states/Loaded";
import { formatAgo, plural } from "../../lib/format";

/** What NCCL's RAS says of the jobs that run on the node: the ranks that do not answer or are behind. */
export function NodeRas({ name, address }: { name: string; address: string }) {
  const query = useQuery(nodeRasQuery(name));
  return (
    <section className="card" aria-labelledby="nccl-ras">
      <div className="card-head">
        <h2 id="nccl-ras">NCCL&rsquo;s RAS</h2>
        <p className="dim">{address}</p>
      </div>
      <div className="card-body page" style={{ gap: 8 }}>
        <Loaded query={query} what="The state of NCCL could not be loaded" rows={3}>
          {(state) =>
            state === null ? (
              <p className="dim">The agent has told this server nothing yet.</p>
            ) : (
              <>
                <p>{state.error ?? state.answer}</p>
                {(state.remarks ?? []).slice(1).map(({ sentence }) => (
                  <p key={sentence}>{sentence}</p>
                ))}
                <p className="dim">
                  {state.error == null && `${plural(state.communicators ?? 0, "communicator")}${state.nccl_version ? `, NCCL ${state.nccl_version}` : ""}, `}
                  asked {formatAgo(state.age_seconds)}.{state.is_repaired && " The JSON missed commas, which were added."}
                </p>
              </>
            )
          }
        </Loaded>
      </div>
    </section>
  );
}
