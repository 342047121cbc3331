import { withProgram } from "../../lib/command";
import { Command } from "./Command";
import { useProgram } from "../hooks/useProgram";
import { site } from "../../api/site";

/** Commands to make a join token on the server's machine, and to start an agent with it on a new machine. */
export function AgentCommand() {
  const token = withProgram("ringscope token add nodes --kind join -q", useProgram());
  return <Command text={`${token}\npip install 'ringscope[worker]'\nringscope agent --server ${site()} --join-token TOKEN\n# beside another agent on the same machine add: --name NAME --data-dir DIR --metrics-port 0`} />;
}
