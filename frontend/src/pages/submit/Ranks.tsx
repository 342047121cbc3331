import { TextInput } from "@mantine/core";
import { useSlots } from "../../components/hooks/useSlots";
import type { Bound } from "./bind";

/** How many ranks a job has, beside how many slots are free for them. */
export function Ranks({ bound }: { bound: Bound }) {
  const slots = useSlots();
  return <TextInput inputMode="numeric" description={slots && `${slots.free} of ${slots.total} slots are free now`} {...bound} />;
}
