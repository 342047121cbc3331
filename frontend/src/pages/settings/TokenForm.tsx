import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { api, unwrap } from "../../api/client";
import { site } from "../../api/site";
import type { NewToken } from "../../api/types";
import { FormFoot } from "../../components/controls/FormFoot";
import { SameRequest } from "../../components/marks/SameRequest";
import { sameToken, tokenBody } from "./requests";
import { TOKEN_FIELDS } from "./settingsForms";
import classes from "./Settings.module.css";
import { useSettingsForm } from "./useSettingsForm";

const KINDS = [
  { value: "personal", label: "personal: for a person or a script" },
  { value: "join", label: "join: lets nodes join" },
  { value: "agent", label: "agent: acts for one node" },
];
const ROLES = [
  { value: "viewer", label: "viewer: read only" },
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
    TOKEN_FIELDS,
    async (texts, key) =>
      unwrap(await api.POST("/api/v1/tokens", { params: { header: { "idempotency-key": key } }, body: tokenBody(texts) })),
    onDone,
  );
  const same = sameToken(form.texts, site());
  return (
    <form className={classes.form} {...form.props}>
      <TextInput {...form.field("name")} description="The user’s name in the audit log" />
      <NativeSelect {...form.field("kind")} data={KINDS} value={kind} onChange={(event) => setKind(event.currentTarget.value)} />
      {kind === "personal" && <NativeSelect {...form.field("role")} data={ROLES} />}
      {kind === "agent" && <TextInput {...form.field("node")} description="The only node that it acts for" />}
      <TextInput {...form.field("note")} description="Purpose" />
      <TextInput {...form.field("days")} description="Empty: never expires" inputMode="decimal" />
      <FormFoot
        submit="Make token"
        isSending={form.isSending}
        failed="The token was not made"
        error={form.error}
        onCancel={onCancel}
        same={same && <SameRequest {...same} />}
      />
    </form>
  );
}
