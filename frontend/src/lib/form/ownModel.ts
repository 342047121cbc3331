/** The text of a model in the form: a name, or FILE.py:FUNCTION. */

/** The object of FILE.py:FUNCTION; null for the name of a model. A text that ends with a colon has no function yet. */
export function ownModel(text: string): { file: string; build?: string } | null {
  if (!isOwn(text)) return null;
  const [file = "", build = ""] = text.split(":");
  return build === "" ? { file } : { file, build };
}

/** Whether the text names a file: an unfinished one has a colon already, so that its inputs stay on the page. */
export function isOwn(text: string): boolean {
  return text.includes(":") || text.endsWith(".py");
}
