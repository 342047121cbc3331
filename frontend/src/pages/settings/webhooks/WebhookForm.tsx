import { TextInput } from "@mantine/core";
import { api, unwrap } from "../../../api/client";
import type { NewWebhook, WebhookView } from "../../../api/types";
import { FormFoot } from "../../../components/controls/FormFoot";
import { SameRequest } from "../../../components/marks/SameRequest";
import { site } from "../../../api/site";
import { sameWebhook, webhookBody } from "../requests";
import { EventChoice } from "./EventChoice";
import { WEBHOOK_FIELDS } from "../settingsForms";
import classes from "../Settings.module.css";
import { useSettingsForm } from "../useSettingsForm";

type WebhookBody = Pick<WebhookView, "name" | "url" | "events" | "is_enabled">;

const USUAL = ["job.failed", "job.succeeded"];

interface Props<Saved> {
  /** The webhook to change; without it a new one is made. */
  webhook?: WebhookView;
  save: (body: WebhookBody, key: string) => Promise<Saved>;
  onDone: (webhook: Saved) => void;
  onCancel: () => void;
}

/** The fields of a webhook. */
export function WebhookForm<Saved>({ webhook, save, onDone, onCancel }: Props<Saved>) {
  const form = useSettingsForm(
    WEBHOOK_FIELDS,
    async (texts, key) => save({ ...webhookBody(texts), is_enabled: webhook?.is_enabled ?? true }, key),
    onDone,
  );
  const same = webhook ? undefined : sameWebhook(form.texts, site());
  return (
    <form className={classes.form} {...form.props}>
      <TextInput {...form.field("name")} defaultValue={webhook?.name} />
      <TextInput
        {...form.field("url")}
        inputMode="url"
        description="A private address needs the server’s option --webhook-private-addresses"
        defaultValue={webhook?.url}
      />
      <EventChoice {...form.field("events")} chosen={webhook?.events ?? USUAL} />
      <FormFoot
        submit={webhook ? "Change webhook" : "Make webhook"}
        isSending={form.isSending}
        failed="The webhook was not saved"
        error={form.error}
        onCancel={onCancel}
        same={same && <SameRequest {...same} />}
      />
    </form>
  );
}

/** Makes a webhook; the same key makes it once. */
export async function addWebhook(body: WebhookBody, key: string): Promise<NewWebhook> {
  return unwrap(await api.POST("/api/v1/webhooks", { params: { header: { "idempotency-key": key } }, body }));
}

/** Changes a webhook; refused if it was changed meanwhile. */
export async function replaceWebhook({ id, revision }: WebhookView, body: WebhookBody): Promise<WebhookView> {
  const params = { path: { webhook_id: id }, header: { "if-match": `"${revision}"` } };
  return unwrap(await api.PUT("/api/v1/webhooks/{webhook_id}", { params, body }));
}
