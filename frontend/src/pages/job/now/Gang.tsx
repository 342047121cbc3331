/** The nodes of each attempt, folded into one line. */
import { Suspense } from "react";
import { lazyPart } from "../../../components/lazyPart";
import type { AttemptView, JobView } from "../../../api/types";
import { plural } from "../../../lib/format";
import { isTerminal } from "../../../lib/state";
import classes from "../Folds.module.css";

// The fold is closed at first.
const MembersTable = lazyPart(async () => (await import("./MembersTable")).MembersTable);

export function Gang({ job }: { job: JobView }) {
  const [newest, ...before] = [...job.attempts].reverse();
  return (
    <section className={classes.fold} aria-label="Nodes">
      {newest ? (
        <details>
          <summary>
            <Title attempt={newest} />
            {before.length > 0 && <span className="dim">; {plural(before.length, "attempt")} before</span>}
          </summary>
          <Suspense>
            <MembersTable attempt={newest} />
            {before.map((attempt) => (
              <div key={attempt.id}>
                <p className={classes.earlier}>
                  <Title attempt={attempt} />
                </p>
                <MembersTable attempt={attempt} />
              </div>
            ))}
          </Suspense>
        </details>
      ) : (
        <p className="dim">{isTerminal(job.state) ? "No node had the job" : "No node has the job yet"}</p>
      )}
    </section>
  );
}

function Title({ attempt: { number, members, reason, bad_node: node } }: { attempt: AttemptView }) {
  return (
    <>
      Attempt {number} on {plural(members.length, "node")}
      {reason && <span className="dim">: {reason}{node && `, because of ${node}`}</span>}
    </>
  );
}
