import { Button, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import { api, unwrap } from "../../api/client";
import type { NewWebhook, WebhookBody } from "../../api/types";
import { buttonsClass } from "../../components/Dialog";
import { ErrorNote } from "../../components/ErrorNote";
import classes from "./Settings.module.css";
import { textsOf, useSettingsForm } from "./useSettingsForm";

interface Props {
  onDone: (webhook: NewWebhook) => void;
  onCancel: () => void;
}

export function WebhookForm({ onDone, onCancel }: Props) {
  const form = useSettingsForm(
    async (body: WebhookBody, key) => unwrap(await api.POST("/api/v1/webhooks", { params: { header: { "idempotency-key": key } }, body })),
    onDone,
  );
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const { name = "", url = "", events = "" } = textsOf(event.currentTarget);
    form.send({ name, url, events: events.split(/[\s,]+/).filter(Boolean), is_enabled: true });
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput name="name" label="Name" error={form.problem("name")} />
      <TextInput name="url" label="URL" inputMode="url" description="https, or http inside your own network" error={form.problem("url")} />
      <TextInput
        name="events"
        label="Events"
        description="Types such as job.failed, job.* for all of jobs, or *"
        defaultValue="job.failed job.succeeded"
        error={form.problem("events")}
      />
      {form.error && <ErrorNote what="The webhook was not made" error={form.error} />}
      <div className={buttonsClass}>
        <Button onClick={onCancel}>Make none</Button>
        <Button type="submit" variant="filled" aria-busy={form.isSending}>
          Make webhook
        </Button>
      </div>
    </form>
  );
}
