/** A job's environment variables as text: NAME=value, one on each line. Pure. */

export type Variables = Record<string, string>;

/** Replaces the value of a secret wherever the server shows a job. */
const REMOVED = "[removed]";
/** As in ringscope/contracts/words/secrets.py. */
const SECRET = /TOKEN|SECRET|PASS|PWD|KEY|CRED|AUTH|COOKIE|JWT|PRIVATE|CERT|SIGNATURE|SESSION/i;

export function variablesText(variables: Variables): string {
  return Object.entries(variables).map(([name, value]) => `${name}=${value}`).join("\n");
}

/** The variables of a text; those that it repeats as they were are kept, even with line breaks in them. */
export function variablesFrom(text: string, before?: Variables): Variables | undefined {
  if (text === variablesText(before ?? {})) return before;
  return Object.fromEntries(lines(text).map((line) => [line.slice(0, line.indexOf("=")).trim(), line.slice(line.indexOf("=") + 1)]));
}

/** What is wrong with the text; null: nothing. */
export function variablesProblem(text: string): string | null {
  const wrong = lines(text).find((line) => !/^\s*[A-Za-z_][A-Za-z0-9_]*\s*=/.test(line));
  return wrong === undefined ? null : "Each line is written as NAME=value, such as NCCL_ALGO=Ring.";
}

/** The flags of a command: a secret has its name alone, and the command takes its value from its own environment. */
export function variableFlags(variables: Variables = {}): string[] {
  return Object.entries(variables).flatMap(([name, value]) => ["--env", value === REMOVED || SECRET.test(name) ? name : `${name}=${value}`]);
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}
