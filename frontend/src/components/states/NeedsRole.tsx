/** Shown instead of what the user's role does not allow. */
export function NeedsRole({ name }: { name: "operator" | "admin" }) {
  return <p role="note">This needs the role {name}. Ask an administrator, or log in with another token.</p>;
}
