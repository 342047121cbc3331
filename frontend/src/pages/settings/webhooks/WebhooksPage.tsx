/** The webhooks, which send events to other services. */
import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { webhooksQuery } from "../../../data/settings";
import type { NewWebhook, WebhookView } from "../../../api/types";
import { ServerCommand } from "../../../components/controls/ServerCommand";
import { Dialog } from "../../../components/controls/Dialog";
import { EmptyState } from "../../../components/states/EmptyState";
import { Loaded } from "../../../components/states/Loaded";
import { ScrollX } from "../../../components/controls/ScrollX";
import { useRole } from "../../../components/hooks/useRole";
import pageCommands from "../../../lib/pageCommands.json";
import { NotChosen } from "../NotChosen";
import { Secret } from "../Secret";
import classes from "../Settings.module.css";
import { SettingsFrame } from "../SettingsFrame";
import { Webhook } from "./Webhook";
import { addWebhook, WebhookForm } from "./WebhookForm";

const route = getRouteApi("/settings/webhooks");

export function WebhooksPage() {
  const client = useQueryClient();
  const { isAdmin } = useRole();
  const { id } = route.useSearch();
  const webhooks = useQuery({ ...webhooksQuery, enabled: isAdmin });
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<NewWebhook | null>(null);
  const done = (webhook: NewWebhook): void => {
    setMaking(false);
    setMade(webhook);
    void client.invalidateQueries({ queryKey: webhooksQuery.queryKey });
  };
  const chosen = webhooks.data?.find((webhook) => String(webhook.id) === id);
  return (
    <SettingsFrame
      title="Webhooks"
      about="Addresses that receive events as signed messages (Standard Webhooks)."
      action={<Button variant="filled" onClick={() => setMaking(true)}>New webhook …</Button>}
    >
      <Loaded query={webhooks} what="The webhooks could not be loaded" rows={5}>
        {(found) => <div className="card">{found.length > 0 ? <WebhooksTable webhooks={found} chosen={chosen} /> : <None />}</div>}
      </Loaded>
      <NotChosen noun="webhook" id={id} items={webhooks.data} command={pageCommands.webhooks} />
      {chosen && <Webhook key={chosen.id} webhook={chosen} />}
      <Dialog title="New webhook" isOpen={isMaking} onClose={() => setMaking(false)} isWide>
        <WebhookForm save={addWebhook} onDone={done} onCancel={() => setMaking(false)} />
      </Dialog>
      <Secret
        of={made && `webhook ${made.name}`}
        secret={made?.secret ?? ""}
        hint="The receiver checks each message's signature with it."
        onClose={() => setMade(null)}
      />
    </SettingsFrame>
  );
}

function None() {
  return (
    <EmptyState title="No webhooks yet">
      <p>Press New webhook, or run:</p>
      <ServerCommand text={pageCommands.webhook} />
    </EmptyState>
  );
}

function WebhooksTable({ webhooks, chosen }: { webhooks: readonly WebhookView[]; chosen: WebhookView | undefined }) {
  return (
    <ScrollX label="Webhooks, one row each">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">State</th>
            <th scope="col">URL</th>
            <th scope="col">Events</th>
            <th scope="col">Made by</th>
          </tr>
        </thead>
        <tbody>
          {webhooks.map((webhook) => (
            <tr key={webhook.id} className={webhook === chosen ? classes.chosen : undefined}>
              <th scope="row">
                <Link to="/settings/webhooks" search={{ id: String(webhook.id) }}>
                  {webhook.name}
                </Link>
              </th>
              <td className={webhook.is_enabled ? undefined : classes.off}>{webhook.is_enabled ? "✓ enabled" : "‖ disabled"}</td>
              <td className={classes.wide}>{webhook.url}</td>
              <td>{webhook.events.join(", ")}</td>
              <td>{webhook.user}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}
