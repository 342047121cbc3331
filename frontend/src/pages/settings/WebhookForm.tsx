import { Button, TextInput } from "@mantine/core";
import { api, unwrap } from "../../api/client";
import type { NewWebhook } from "../../api/types";
import { buttonsClass } from "../../components/controls/Dialog";
import { ErrorNote } from "../../components/states/ErrorNote";
import { WEBHOOK_FIELDS } from "./settingsForms";
import classes from "./Settings.module.css";
import { useSettingsForm } from "./useSettingsForm";

interface Props {
  onDone: (webhook: NewWebhook) => void;
  onCancel: () => void;
}

export function WebhookForm({ onDone, onCancel }: Props) {
  const form = useSettingsForm(
    WEBHOOK_FIELDS,
    async ({ name, url, events }, key) => {
      const body = { name, url, events: events.split(/[\s,]+/).filter(Boolean), is_enabled: true };
      return unwrap(await api.POST("/api/v1/webhooks", { params: { header: { "idempotency-key": key } }, body }));
    },
    onDone,
  );
  return (
    <form className={classes.form} {...form.props}>
      <TextInput {...form.field("name")} />
      <TextInput {...form.field("url")} inputMode="url" description="Addresses of your own network must be in the server&rsquo;s setting webhook_private_addresses" />
      <TextInput
        {...form.field("events")}
        description="Types such as job.failed, job.* for all job events, or *"
        defaultValue="job.failed job.succeeded"
      />
      {form.error && <ErrorNote what="The webhook was not made" error={form.error} />}
      <div className={buttonsClass}>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="filled" aria-busy={form.isSending}>
          Make webhook
        </Button>
      </div>
    </form>
  );
}
