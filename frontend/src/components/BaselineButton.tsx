import { Button } from "@mantine/core";
import { useMarks } from "./useMarks";

/** Makes a job the one that differences are to, here and in the list, or takes that back. */
export function BaselineButton({ id }: { id: number }) {
  const [marks, setMarks] = useMarks();
  const isBaseline = id === marks.baseline;
  return (
    <Button onClick={() => setMarks({ ...marks, baseline: isBaseline ? null : id })}>{isBaseline ? "★ No baseline" : "★ Set baseline"}</Button>
  );
}
