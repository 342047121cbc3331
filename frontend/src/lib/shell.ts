/** Words for a POSIX shell. */

/** A word for a POSIX shell, quoted only when it must be. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
