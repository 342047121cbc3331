import { useLocalStorage } from "@mantine/hooks";

// Compared by text: the library reads the stored value at each mount and sets it again, which redraws every user of it
// unless the same text is the same object.
const parsed = new Map<string, unknown>();

/** A value that is kept in this browser. `defaultValue` is a constant: another object would count as a change. */
export function useStored<T>(key: string, defaultValue: T): readonly [T, (value: T) => void] {
  const deserialize = (text: string | undefined): T => parse(text, defaultValue);
  const [value, setValue] = useLocalStorage<T>({ key, defaultValue, getInitialValueInEffect: false, deserialize });
  return [value, setValue];
}

/** Values that cannot be read, such as a text that was cut off, are ignored. */
function parse<T>(text: string | undefined, defaultValue: T): T {
  if (text === undefined) return defaultValue;
  try {
    if (!parsed.has(text)) parsed.set(text, JSON.parse(text));
    return parsed.get(text) as T;
  } catch {
    return defaultValue;
  }
}
