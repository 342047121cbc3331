import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { NextStep } from "../../../lib/nextStep";

/** A button that opens the form of the proposed job. */
export function NextStepLink({ step }: { step: NextStep }) {
  return <Button renderRoot={(props) => <Link to="/jobs/new" search={step.search} {...props} />}>{step.label}</Button>;
}
