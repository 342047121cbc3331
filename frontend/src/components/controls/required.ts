/** The props of an input that is empty at first and must be filled: one mark for the eye, and one for screen readers. */
export const REQUIRED = { withAsterisk: true, "aria-required": true } as const;
