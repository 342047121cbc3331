import { TextField } from "../../components/controls/fields";
import { useSlots } from "../../components/hooks/useSlots";
import type { Bound } from "./bind";

/** A job's number of ranks, with the number of free slots. */
export function Ranks({ bound }: { bound: Bound }) {
  const slots = useSlots();
  return <TextField inputMode="numeric" description={slots && `${slots.free} of ${slots.total} slots are free now`} {...bound} />;
}
