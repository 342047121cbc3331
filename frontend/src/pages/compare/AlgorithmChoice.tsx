import { NativeSelect } from "@mantine/core";
import { Segments } from "../../components/controls/Segments";

const MOST_BESIDE = 5;

/** The choice of the compared algorithm: side by side if there are few. */
export function AlgorithmChoice({ algorithms, value, onChange }: { algorithms: readonly string[]; value: string; onChange: (name: string) => void }) {
  if (algorithms.length > MOST_BESIDE) {
    return (
      <NativeSelect size="xs" aria-label="Algorithm" value={value} data={[...algorithms]} onChange={(event) => onChange(event.currentTarget.value)} />
    );
  }
  return <Segments label="Algorithm" value={value} options={algorithms.map((name) => [name, name] as const)} onChange={onChange} />;
}
