import { TextInput } from "@mantine/core";
import { useSlots } from "../../components/hooks/useSlots";
import type { Bound } from "./bind";

/** A job's number of ranks, with the number of free slots. */
export function Ranks({ bound }: { bound: Bound }) {
  const slots = useSlots();
  return <TextInput inputMode="numeric" description={slots && `${slots.free} of ${slots.total} slots are free now`} {...bound} />;
}
