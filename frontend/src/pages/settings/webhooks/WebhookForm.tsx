import { Button, TextInput } from "@mantine/core";
import { api, unwrap } from "../../../api/client";
import type { NewWebhook, WebhookView } from "../../../api/types";
import { buttonsClass } from "../../../components/controls/Dialog";
import { ErrorNote } from "../../../components/states/ErrorNote";
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
    async ({ name, url, events }, key) => {
      const chosen = (events ?? "").split(" ").filter(Boolean);
      return save({ name, url, events: chosen, is_enabled: webhook?.is_enabled ?? true }, key);
    },
    onDone,
  );
  return (
    <form className={classes.form} {...form.props}>
      <TextInput {...form.field("name")} defaultValue={webhook?.name} />
      <TextInput
        {...form.field("url")}
        inputMode="url"
        description="Addresses of your own network must be in the server&rsquo;s setting webhook_private_addresses"
        defaultValue={webhook?.url}
      />
      <EventChoice {...form.field("events")} chosen={webhook?.events ?? USUAL} />
      {form.error && <ErrorNote what="The webhook was not saved" error={form.error} />}
      <div className={buttonsClass}>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="filled" aria-busy={form.isSending}>
          {webhook ? "Change webhook" : "Make webhook"}
        </Button>
      </div>
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
