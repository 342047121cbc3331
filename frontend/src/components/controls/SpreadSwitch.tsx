import { Segments } from "./Segments";

interface Props {
  /** The URL's value: on when absent. */
  band: "off" | undefined;
  onChange: (band: "off" | undefined) => void;
}

/** Whether a chart has a band from p5 to p95 behind each line. */
export function SpreadSwitch({ band, onChange }: Props) {
  return (
    <Segments
      label="Spread"
      value={band ?? "on"}
      options={[["on", "p5 – p95"], ["off", "no spread"]]}
      onChange={(next) => onChange(next === "on" ? undefined : next)}
    />
  );
}
