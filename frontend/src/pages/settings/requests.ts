/** What the forms of the settings send, and the same as commands. Pure. */
import type { TokenSpec } from "../../api/types";
import type { Request } from "../../components/marks/SameRequest";
import { postCommand } from "../../lib/command";
import { shellQuote } from "../../lib/shell";

type Texts = Readonly<Record<string, string>>;

export function tokenBody({ name = "", kind, role, node, note = "", days }: Texts) {
  return {
    name,
    kind: kind as TokenSpec["kind"],
    note,
    ...(role && { role: role as NonNullable<TokenSpec["role"]> }),
    ...(node && { node }),
    ...(days && { expires_in_days: Number(days) }),
  };
}

/** Commands that make the same token; undefined while it has no name. */
export function sameToken(texts: Texts, origin: string): Request | undefined {
  const { name, kind = "personal", role, node, note, days } = texts;
  if (!name) return undefined;
  const options = [...given("--kind", kind === "personal" ? "" : kind), ...given("--role", role), ...given("--node", node), ...given("--days", days), ...given("--note", note)];
  return { command: words("ringscope", "token", "add", name, ...options), curl: postCommand("/tokens", tokenBody(texts), origin) };
}

export function webhookBody({ name = "", url = "", events = "" }: Texts) {
  return { name, url, events: events.split(" ").filter(Boolean) };
}

/** Commands that make the same webhook; undefined while a field is empty. */
export function sameWebhook(texts: Texts, origin: string): Request | undefined {
  const body = webhookBody(texts);
  if (!body.name || !body.url || body.events.length === 0) return undefined;
  const events = body.events.flatMap((event) => ["--event", event]);
  return { command: words("ringscope", "webhook", "add", body.name, body.url, ...events), curl: postCommand("/webhooks", body, origin) };
}

/** The command that makes the same schedule of a job; undefined without a name or a job. */
export function sameSchedule({ name, cron = "", timezone, overlap, job, drain }: Texts): Request | undefined {
  if (!name || !job) return undefined;
  const options = [...given("--job", job), ...given("--timezone", timezone), ...given("--overlap", overlap === "skip" ? "" : overlap), ...given("--drain-on-blame", drain && `${drain}%`)];
  return { command: words("ringscope", "schedule", "add", name, cron, ...options) };
}

function given(flag: string, value: string | undefined): string[] {
  return value ? [flag, value] : [];
}

function words(...found: readonly string[]): string {
  return found.map(shellQuote).join(" ");
}
