import { Button } from "@mantine/core";
import { useMarks } from "../hooks/useMarks";

interface Props {
  id: number;
  /** Where the page has a base job of its own, beside the one that is kept in this browser. */
  shown?: number | null;
  onChange?: (base: number | null) => void;
}

/** Makes a job the one that differences are to, here and in the list, or takes that back. */
export function BaseButton({ id, shown, onChange }: Props) {
  const [marks, setMarks] = useMarks();
  const isBase = id === (shown === undefined ? marks.base : shown);
  const change = (): void => {
    const base = isBase ? null : id;
    setMarks({ ...marks, base });
    onChange?.(base);
  };
  return <Button onClick={change}>{isBase ? "★ No base job" : "★ Set as base job"}</Button>;
}
