import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "../../../api/client";
import { deliveriesQuery, webhooksQuery } from "../../../data/settings";
import type { WebhookView } from "../../../api/types";
import { ErrorNote } from "../../../components/states/ErrorNote";
import { Loaded } from "../../../components/states/Loaded";
import { CopyMenu } from "../../../components/controls/CopyMenu";
import { Dialog } from "../../../components/controls/Dialog";
import { ConfirmDialog } from "../ConfirmDialog";
import { Deliveries } from "./Deliveries";
import { testInWords } from "./events";
import classes from "../Settings.module.css";
import { replaceWebhook, WebhookForm } from "./WebhookForm";

/** One webhook: its actions, and the outcome of its messages. */
export function Webhook({ webhook }: { webhook: WebhookView }) {
  const { id, name, url, events } = webhook;
  const client = useQueryClient();
  const navigate = useNavigate();
  const deliveries = useQuery(deliveriesQuery(id));
  const [asked, setAsked] = useState<"edit" | "remove" | null>(null);
  const close = (): void => setAsked(null);
  const path = { webhook_id: id };
  const again = (): Promise<void> => client.invalidateQueries({ queryKey: webhooksQuery.queryKey });
  const test = useMutation({
    mutationFn: async () => unwrap(await api.POST("/api/v1/webhooks/{webhook_id}/test", { params: { path } })),
    onSuccess: again,
  });
  const toggle = useMutation({ mutationFn: () => replaceWebhook(webhook, { name, url, events, is_enabled: !webhook.is_enabled }), onSuccess: again });
  const remove = async (): Promise<void> => {
    unwrap(await api.DELETE("/api/v1/webhooks/{webhook_id}", { params: { path } }));
    await navigate({ to: "/settings/webhooks" });
    await again();
  };
  const failed = test.error ?? toggle.error;
  return (
    <section className="card" aria-labelledby="webhook">
      <div className="card-head">
        <h2 id="webhook">{name}</h2>
        <div className={`spread ${classes.actions}`}>
          {webhook.is_enabled && <Button onClick={() => test.mutate()} aria-busy={test.isPending}>Send a test</Button>}
          <Button onClick={() => toggle.mutate()} aria-busy={toggle.isPending}>
            {webhook.is_enabled ? "Disable" : "Enable"}
          </Button>
          <CopyMenu command={`ringscope webhook deliveries ${name}`} path={`/webhooks/${id}`} />
          <Button onClick={() => setAsked("edit")}>Edit …</Button>
          <Button onClick={() => setAsked("remove")}>Remove …</Button>
        </div>
      </div>
      <div className={`card-body ${classes.detail}`}>
        {failed && <ErrorNote what="The action failed" error={failed} />}
        {test.data && <p role="status">{testInWords(deliveries.data?.find((one) => one.id === test.data.id))}</p>}
        <Loaded query={deliveries} what="The deliveries could not be loaded" rows={3} isBare>
          {(found) => <Deliveries webhookId={id} deliveries={found} mayRepeat={webhook.is_enabled} />}
        </Loaded>
      </div>
      <Dialog title={`Edit webhook ${name}`} isOpen={asked === "edit"} onClose={close} isWide>
        <WebhookForm
          webhook={webhook}
          save={(body) => replaceWebhook(webhook, body)}
          onCancel={close}
          onDone={() => {
            close();
            void again();
          }}
        />
      </Dialog>
      <ConfirmDialog title={`Remove webhook ${name}?`} verb="Remove it" isOpen={asked === "remove"} onClose={close} onConfirm={remove}>
        Nothing is sent to {url} any more, and its delivery history is deleted.
      </ConfirmDialog>
    </section>
  );
}
