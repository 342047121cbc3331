/** The nodes of an attempt: the phase and times of each, and the offset of its clock. */
import { Link } from "@tanstack/react-router";
import type { AttemptView, MemberView } from "../../../api/types";
import { ScrollX } from "../../../components/controls/ScrollX";
import { useNow } from "../../../components/hooks/useNow";
import { clockInWords, PHASES, rankRange, sinceStart } from "../../../lib/gang";
import classes from "./Gang.module.css";

export function MembersTable({ attempt }: { attempt: AttemptView }) {
  return (
    <ScrollX label={`Nodes of attempt ${attempt.number}`}>
      <table className={classes.members}>
        <caption className="hidden-visually">Nodes of attempt {attempt.number}</caption>
        <thead>
          <tr>
            <th scope="col">Node</th>
            <th scope="col">Ranks</th>
            <th scope="col">Phase</th>
            {PHASES.map((phase) => (
              <th key={phase} scope="col" className="number" title="after the attempt began">{phase}</th>
            ))}
            <th scope="col" className="number" title="the node's clock minus the server's, with its possible error">
              Clock
            </th>
          </tr>
        </thead>
        <tbody>
          {attempt.members.map((member) => (
            <MemberRow key={member.node} attempt={attempt} member={member} />
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

function MemberRow({ attempt, member }: { attempt: AttemptView; member: MemberView }) {
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

/** How long the node has been in its phase, live. */
function Waiting({ attempt }: { attempt: AttemptView }) {
  const now = useNow();
  return <span className="dim"> for {sinceStart(attempt, new Date(now).toISOString()).slice(1)}</span>;
}
