/** The nodes of each attempt: how far each has come, when, and how far its clock is off. */
import { Link } from "@tanstack/react-router";
import type { AttemptView, JobView, MemberView } from "../../api/types";
import { ScrollX } from "../../components/ScrollX";
import { useNow } from "../../components/useNow";
import { plural } from "../../lib/format";
import { clockInWords, PHASES, rankRange, sinceStart } from "../../lib/gang";
import classes from "./Gang.module.css";

/** Open while the gang starts, where one sees whom everybody waits for; folded afterwards. */
export function Gang({ job }: { job: JobView }) {
  if (job.attempts.length === 0) return null;
  return (
    <section className={`card ${classes.gang}`} aria-label="Nodes">
      {job.attempts.map((attempt) => (
        <Attempt key={attempt.id} attempt={attempt} isOpen={job.state === "starting" && attempt === job.attempts.at(-1)} />
      ))}
    </section>
  );
}

function Attempt({ attempt, isOpen }: { attempt: AttemptView; isOpen: boolean }) {
  return (
    <details open={isOpen}>
      <summary>
        Attempt {attempt.number} on {plural(attempt.members.length, "node")}
        {attempt.reason && <span className="dim">: {attempt.reason}{attempt.bad_node && `, because of ${attempt.bad_node}`}</span>}
      </summary>
      <ScrollX label={`Nodes of attempt ${attempt.number}`}>
        <table>
          <caption className="hidden-visually">Nodes of attempt {attempt.number}</caption>
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">Ranks</th>
              <th scope="col">Phase</th>
              {PHASES.map((phase) => (
                <th key={phase} scope="col" className="number" title="after the attempt began">{phase}</th>
              ))}
              <th scope="col" className="number" title="the node's clock minus the server's, and how far that may be wrong">
                Clock
              </th>
            </tr>
          </thead>
          <tbody>
            {attempt.members.map((member) => (
              <Row key={member.node} attempt={attempt} member={member} />
            ))}
          </tbody>
        </table>
      </ScrollX>
    </details>
  );
}

function Row({ attempt, member }: { attempt: AttemptView; member: MemberView }) {
  return (
    <tr>
      <th scope="row">
        <Link to="/nodes/$name" params={{ name: member.node }}>{member.node}</Link>
      </th>
      <td>{rankRange(member)}</td>
      <td>
        {member.phase}
        {member.phase === "assigned" && attempt.finished_at === null && <Waiting attempt={attempt} />}
      </td>
      {PHASES.map((phase) => (
        <td key={phase} className="number">{sinceStart(attempt, member[`${phase}_at`])}</td>
      ))}
      <td className="number">{clockInWords(member)}</td>
    </tr>
  );
}

/** How long the node has had the attempt and not come further, live. */
function Waiting({ attempt }: { attempt: AttemptView }) {
  const now = useNow();
  return <span className="dim"> for {sinceStart(attempt, new Date(now).toISOString()).slice(1)}</span>;
}
