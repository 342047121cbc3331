import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ApiError, randomKey } from "../../api/client";

/**
 * Sends a form. The key stays the same as long as the form is open, so that pressing twice makes one thing. After a
 * refusal the first field that the server named gets the focus.
 */
export function useSettingsForm<Body, Answer>(send: (body: Body, key: string) => Promise<Answer>, onDone: (answer: Answer) => void) {
  const [key] = useState(randomKey);
  const mutation = useMutation({ mutationFn: (body: Body) => send(body, key), onSuccess: onDone });
  const { error } = mutation;
  const mended = useMended(error);
  const fields = error instanceof ApiError ? error.fields : [];
  const first = fields[0] && nameOf(fields[0].pointer);
  useEffect(() => {
    if (first) document.querySelector<HTMLElement>(`dialog[open] [name="${CSS.escape(first)}"]`)?.focus();
  }, [first, error]);
  return {
    send: (body: Body): void => {
      if (!mutation.isPending) mutation.mutate(body);
    },
    isSending: mutation.isPending,
    /** The server's sentences about a field, until that is another one. */
    problem: (name: string): string | null =>
      fields.filter(({ pointer }) => nameOf(pointer) === name && !mended.has(name)).map(({ detail }) => detail).join(" ") || null,
    /** What is about no field. */
    error: fields.length === 0 ? error : null,
  };
}

/** The fields of the open form that were changed since it was refused. */
function useMended(error: Error | null): ReadonlySet<string> {
  const [mended, setMended] = useState<{ of: Error | null; names: ReadonlySet<string> }>({ of: null, names: new Set() });
  useEffect(() => {
    const form = error && document.querySelector("dialog[open] form");
    if (!form) return;
    const onInput = ({ target }: Event): void => {
      const { name } = target as HTMLInputElement;
      setMended((old) => ({ of: error, names: new Set(old.of === error ? [...old.names, name] : [name]) }));
    };
    form.addEventListener("input", onInput);
    return () => form.removeEventListener("input", onInput);
  }, [error]);
  return mended.of === error ? mended.names : new Set();
}

/** "/spec/placement/ranks" is about the field spec. */
function nameOf(pointer: string): string {
  return pointer.split("/")[1] ?? "";
}

/** A form's texts by name, without blanks at the ends. */
export function textsOf(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));
}
