/** Instead of what the role of who is logged in does not allow. */
export function NeedsRole({ name }: { name: "operator" | "admin" }) {
  return <p role="note">This needs the role {name}. Ask an administrator, or log in with another token.</p>;
}
