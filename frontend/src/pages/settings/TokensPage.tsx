/** The tokens that give access to this server. */
import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client";
import { tokensQuery } from "../../data/settings";
import type { NewToken, TokenView } from "../../api/types";
import { Age } from "../../components/Age";
import { ServerCommand } from "../../components/controls/ServerCommand";
import { Dialog } from "../../components/controls/Dialog";
import { Loaded } from "../../components/states/Loaded";
import { ScrollX } from "../../components/controls/ScrollX";
import { useRole } from "../../components/hooks/useRole";
import { formatDateTime } from "../../lib/format";
import pageCommands from "../../lib/pageCommands.json";
import { ConfirmDialog } from "./ConfirmDialog";
import { Secret } from "./Secret";
import classes from "./Settings.module.css";
import { SettingsFrame } from "./SettingsFrame";
import { TokenForm } from "./TokenForm";

/** How often to look whether an agent has fetched its new token. */
const ROTATING_MS = 1000;

export function TokensPage() {
  const client = useQueryClient();
  const { isAdmin } = useRole();
  const tokens = useQuery({
    ...tokensQuery,
    enabled: isAdmin,
    refetchInterval: (query) => (query.state.data?.some((token) => token.rotation_wanted_at) ? ROTATING_MS : false),
  });
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<NewToken | null>(null);
  const [ending, setEnding] = useState<TokenView | null>(null);
  const [rotating, setRotating] = useState<TokenView | null>(null);
  const refetch = (): Promise<void> => client.invalidateQueries({ queryKey: tokensQuery.queryKey });
  const done = (token: NewToken): void => {
    setMaking(false);
    setMade(token);
    void refetch();
  };
  const revoke = async (): Promise<void> => {
    if (ending) unwrap(await api.DELETE("/api/v1/tokens/{token_id}", { params: { path: { token_id: ending.id } } }));
    await refetch();
  };
  const rotate = async (): Promise<void> => {
    if (rotating) unwrap(await api.POST("/api/v1/tokens/{token_id}/rotate", { params: { path: { token_id: rotating.id } } }));
    await refetch();
  };
  return (
    <SettingsFrame
      title="Tokens"
      about="People and agents log in with them; share links are listed too. Secrets are shown once."
      action={<Button variant="filled" onClick={() => setMaking(true)}>New token …</Button>}
    >
      <Loaded query={tokens} what="The tokens could not be loaded" rows={5}>
        {(found) => <TokensTable tokens={found} onRotate={setRotating} onRevoke={setEnding} />}
      </Loaded>
      <ServerCommand text={pageCommands.tokens} />
      <Dialog title="New token" isOpen={isMaking} onClose={() => setMaking(false)}>
        <TokenForm onDone={done} onCancel={() => setMaking(false)} />
      </Dialog>
      <Secret
        of={made && `token ${made.name}`}
        secret={made?.secret ?? ""}
        hint={HINTS[made?.kind ?? ""] ?? ""}
        onClose={() => setMade(null)}
      />
      <ConfirmDialog
        title={`Revoke token ${ending?.id ?? ""} of ${ending?.name ?? ""}?`}
        verb="Revoke it"
        isOpen={ending !== null}
        onClose={() => setEnding(null)}
        onConfirm={revoke}
      >
        {ending && endInWords(ending)}
      </ConfirmDialog>
      <ConfirmDialog
        title={`Rotate the token of node ${rotating?.node ?? ""}?`}
        verb="Rotate it"
        isOpen={rotating !== null}
        onClose={() => setRotating(null)}
        onConfirm={rotate}
      >
        Its agent fetches a new secret with its next request; the old one is valid until the new one is used, and running
        jobs continue. If others may know the token, revoke it instead, because they could fetch the new secret first.
      </ConfirmDialog>
    </SettingsFrame>
  );
}

const HINTS: Record<string, string> = {
  personal: "Log in with it here, or set RINGSCOPE_TOKEN to it.",
  join: "Start agents with it: `ringscope agent --join-token`.",
  agent: "Give it to the agent of its node as RINGSCOPE_TOKEN.",
};

/** What revoking a token means for its users. */
function endInWords({ kind, node }: TokenView): string {
  if (kind === "agent") {
    return `The server refuses the agent of node ${node ?? ""} from its next request on. An agent with a join token joins again, and its jobs continue; any other ends its ranks and itself, and the node is lost 15 s later. To keep the node out, revoke the join token as well.`;
  }
  if (kind === "join") {
    return "No node can join with it any more, and the tokens of all nodes that joined with it are revoked: the server refuses their agents, and the nodes are lost 15 s later.";
  }
  if (kind === "share") return "The link stops working, and everyone who opened it is logged out at once.";
  if (kind === "guest") return "The browser that followed the login link is logged out at once.";
  return "Its user is logged out at once, and the sessions and login links that were made with it end.";
}

interface TableProps {
  tokens: readonly TokenView[];
  onRotate: (token: TokenView) => void;
  onRevoke: (token: TokenView) => void;
}

function TokensTable({ tokens, onRotate, onRevoke }: TableProps) {
  return (
    <div className="card">
      <ScrollX label="Tokens, one row each">
        <table>
          <thead>
            <tr>
              <th scope="col" className="number">Id</th>
              <th scope="col">Name</th>
              <th scope="col">Kind</th>
              <th scope="col">Role</th>
              <th scope="col">Node</th>
              <th scope="col">Note</th>
              <th scope="col">Made by</th>
              <th scope="col" className="number">Age</th>
              <th scope="col" className="number">Last used</th>
              <th scope="col">Expires</th>
              <th scope="col">
                <span className="hidden-visually">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {tokens.map((token) => (
              <tr key={token.id}>
                <td className="number dim">{token.id}</td>
                <th scope="row">{token.name}</th>
                <td>{token.kind}</td>
                <td>{token.role}</td>
                <td>{token.node}</td>
                <td className={classes.wide}>{token.note}</td>
                <td>{token.created_by}</td>
                <td className="number">
                  <Age iso={token.created_at} />
                </td>
                <td className="number">{token.last_used_at ? <Age iso={token.last_used_at} /> : "never"}</td>
                <td className={classes.nowrap}>{token.expires_at ? formatDateTime(token.expires_at) : "never"}</td>
                <td>
                  <div className={classes.actions}>
                    {token.rotation_wanted_at && <span className="dim">rotates with its next request</span>}
                    {token.kind === "agent" && !token.rotation_wanted_at && (
                      <Button onClick={() => onRotate(token)}>
                        Rotate …<span className="hidden-visually"> token {token.id} of {token.name}</span>
                      </Button>
                    )}
                    <Button onClick={() => onRevoke(token)}>
                      Revoke …<span className="hidden-visually"> token {token.id} of {token.name}</span>
                    </Button>
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
    </div>
  );
}
