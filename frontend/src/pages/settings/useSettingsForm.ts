import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { ApiError, randomKey } from "../../api/client";
import { refusedTexts, unreadableTexts } from "./settingsForms";
import { REQUIRED } from "../../components/controls/required";
import type { Form, Problems, FieldTable } from "../../lib/form/types";

interface Typed {
  /** The form after the last keystroke. */
  texts: Readonly<Record<string, string>>;
  /** The fields that were changed since this refusal. */
  mended: { of: Error | null; names: ReadonlySet<string> };
}

/**
 * Sends a form. The key stays the same as long as the form is open, so that pressing twice makes one object. Unreadable
 * fields are reported while typing, and are not sent. The first field with a problem gets the focus.
 */
export function useSettingsForm<F extends string, Answer>(
  table: FieldTable<F>,
  send: (texts: Form<F>, key: string) => Promise<Answer>,
  onDone: (answer: Answer) => void,
) {
  const [key] = useState(randomKey);
  const ref = useRef<HTMLFormElement>(null);
  const [typed, setTyped] = useState<Typed>({ texts: {}, mended: { of: null, names: new Set() } });
  const mutation = useMutation({ mutationFn: (texts: Form<F>) => send(texts, key), onSuccess: onDone });
  const { error } = mutation;
  const refused = refusedTexts(table, error instanceof ApiError ? error.fields : []);
  const mended = typed.mended.of === error ? typed.mended.names : new Set<string>();
  const problems: Problems = {
    ...Object.fromEntries(Object.entries(refused.fields).filter(([name]) => !mended.has(name))),
    ...unreadableTexts(table, typed.texts),
  };
  const first = Object.keys(table).find((name) => name in refused.fields);
  useEffect(() => focus(ref.current, first), [first, error]);
  const withMended = (name: string): Typed["mended"] => ({ of: error, names: new Set([...mended, name]) });
  return {
    /** Drops the server's problem of a field that something else than its own input has changed. */
    mend: (name: F): void => setTyped({ ...typed, mended: withMended(name) }),
    /** The state that the form itself needs. */
    props: {
      ref,
      onInput: (event: FormEvent<HTMLFormElement>): void => {
        const { name } = event.target as HTMLInputElement;
        setTyped({ texts: textsOf(event.currentTarget), mended: withMended(name) });
      },
      onSubmit: (event: FormEvent<HTMLFormElement>): void => {
        event.preventDefault();
        const texts = textsOf(event.currentTarget);
        const unreadable = unreadableTexts(table, texts);
        setTyped({ ...typed, texts });
        const wrong = Object.keys(table).find((name) => name in unreadable);
        if (wrong) focus(ref.current, wrong);
        else if (!mutation.isPending) mutation.mutate(texts as Form<F>);
      },
    },
    /** The texts of the form; empty before the first keystroke. */
    texts: typed.texts,
    isSending: mutation.isPending,
    /** An input's props for a field: its name, its label, its problem and the mark of one that must be filled. */
    field: (name: F) => ({ name, label: table[name].label, error: problems[name] ?? null, ...(table[name].isRequired && REQUIRED) }),
    /** Problems that belong to no field. */
    error: Object.keys(refused.fields).length === 0 || refused.other.length > 0 ? error : null,
  };
}

function focus(form: HTMLFormElement | null, name: string | undefined): void {
  if (name) form?.querySelector<HTMLElement>(`[name="${CSS.escape(name)}"]`)?.focus();
}

/** A form's texts by name, trimmed; the values of check boxes with the same name are joined by a space. */
export function textsOf(form: HTMLFormElement): Record<string, string> {
  const data = new FormData(form);
  return Object.fromEntries([...data.keys()].map((name) => [name, data.getAll(name).join(" ").trim()]));
}
