import { Button } from "@mantine/core";
import { useMarks } from "../hooks/useMarks";

interface Props {
  id: number;
  /** Where the page has a baseline of its own, beside the one that is kept in this browser. */
  shown?: number | null;
  onChange?: (baseline: number | null) => void;
}

/** Makes a job the one that differences are to, here and in the list, or takes that back. */
export function BaselineButton({ id, shown, onChange }: Props) {
  const [marks, setMarks] = useMarks();
  const isBaseline = id === (shown === undefined ? marks.baseline : shown);
  const change = (): void => {
    const baseline = isBaseline ? null : id;
    setMarks({ ...marks, baseline });
    onChange?.(baseline);
  };
  return <Button onClick={change}>{isBaseline ? "★ No baseline" : "★ Set baseline"}</Button>;
}
