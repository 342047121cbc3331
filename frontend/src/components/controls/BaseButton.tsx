import { Button } from "@mantine/core";
import { useMarks } from "../hooks/useMarks";

interface Props {
  id: number;
  /** For a page that has a base job of its own, besides the one that this browser keeps. */
  shown?: number | null;
  onChange?: (base: number | null) => void;
}

/** Makes a job the base job, here and in the list, or clears it. */
export function BaseButton({ id, shown, onChange }: Props) {
  const [marks, setMarks] = useMarks();
  const isBase = id === (shown === undefined ? marks.base : shown);
  const change = (): void => {
    const base = isBase ? null : id;
    setMarks({ ...marks, base });
    onChange?.(base);
  };
  return <Button onClick={change}>{isBase ? "★ Remove base job" : "★ Set as base job"}</Button>;
}
