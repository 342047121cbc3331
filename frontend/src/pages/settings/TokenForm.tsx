import { Button, NativeSelect, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { api, unwrap } from "../../api/client";
import type { NewToken, TokenSpec } from "../../api/types";
import { buttonsClass } from "../../components/Dialog";
import { ErrorNote } from "../../components/ErrorNote";
import classes from "./Settings.module.css";
import { textsOf, useSettingsForm } from "./useSettingsForm";

const KINDS = [
  { value: "personal", label: "personal: for a person or a script" },
  { value: "join", label: "join: takes nodes in" },
  { value: "agent", label: "agent: speaks for one node" },
];
const ROLES = [
  { value: "viewer", label: "viewer: looks" },
  { value: "operator", label: "operator: submits, cancels, drains" },
  { value: "admin", label: "admin: everything" },
];

interface Props {
  onDone: (token: NewToken) => void;
  onCancel: () => void;
}

/** A new token; a person has a role, an agent a node. */
export function TokenForm({ onDone, onCancel }: Props) {
  const [kind, setKind] = useState("personal");
  const form = useSettingsForm(
    async (body: TokenSpec, key) => unwrap(await api.POST("/api/v1/tokens", { params: { header: { "idempotency-key": key } }, body })),
    onDone,
  );
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const { name = "", role, node, note = "", expires_in_days: days } = textsOf(event.currentTarget);
    form.send({
      name,
      kind: kind as TokenSpec["kind"],
      note,
      ...(role && { role: role as NonNullable<TokenSpec["role"]> }),
      ...(node && { node }),
      ...(days && { expires_in_days: Number(days) }),
    });
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput name="name" label="Name" description="What this user does is recorded under it" error={form.problem("name")} />
      <NativeSelect name="kind" label="Kind" data={KINDS} value={kind} error={form.problem("kind")} onChange={(event) => setKind(event.currentTarget.value)} />
      {kind === "personal" && <NativeSelect name="role" label="Role" data={ROLES} error={form.problem("role")} />}
      {kind === "agent" && <TextInput name="node" label="Node" description="The only one that it speaks for" error={form.problem("node")} />}
      <TextInput name="note" label="Note (optional)" description="What it is for" error={form.problem("note")} />
      <TextInput name="expires_in_days" label="Days (optional)" description="Without them it never ends" inputMode="decimal" error={form.problem("expires_in_days")} />
      {form.error && <ErrorNote what="The token was not made" error={form.error} />}
      <div className={buttonsClass}>
        <Button onClick={onCancel}>Make none</Button>
        <Button type="submit" variant="filled" aria-busy={form.isSending}>
          Make token
        </Button>
      </div>
    </form>
  );
}
