/** Inputs of long forms: a key press in one of them draws none of the others again. */
import { NativeSelect, type NativeSelectProps, TextInput, type TextInputProps } from "@mantine/core";
import { type ChangeEvent, type ComponentType, memo, useLayoutEffect, useRef, useState } from "react";

interface Changing<E> {
  onChange?: ((event: ChangeEvent<E>) => void) | undefined;
}

export const TextField = drawnOnChange<HTMLInputElement, TextInputProps>(TextInput);
export const SelectField = drawnOnChange<HTMLSelectElement, NativeSelectProps>(NativeSelect);

/** The input that is drawn again only when what it shows has changed; its change goes to the newest handler. */
function drawnOnChange<E, P extends Changing<E>>(Input: ComponentType<P>): ComponentType<P> {
  const Drawn = memo(Input as ComponentType<Changing<E>>, isSame);
  return function Field(props: P) {
    const newest = useRef(props.onChange);
    useLayoutEffect(() => {
      newest.current = props.onChange;
    });
    const [onChange] = useState(() => (event: ChangeEvent<E>) => newest.current?.(event));
    return <Drawn {...props} onChange={onChange} />;
  };
}

/** Whether two sets of props show the same; lists are compared by what they contain. */
function isSame(before: object, now: object): boolean {
  const [old, next] = [Object.entries(before), new Map(Object.entries(now))];
  return old.length === next.size && old.every(([name, value]) => next.has(name) && isSameValue(value, next.get(name)));
}

function isSameValue(before: unknown, now: unknown): boolean {
  if (!Array.isArray(before) || !Array.isArray(now)) return Object.is(before, now);
  return before.length === now.length && before.every((item, index) => Object.is(item, now[index]));
}
