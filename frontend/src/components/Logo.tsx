/** Three ranks on a ring. */
export function Logo() {
  return (
    <svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="16" cy="16" r="10" fill="none" stroke="var(--accent)" strokeWidth="3" />
      <circle cx="16" cy="6" r="4.5" fill="var(--accent)" />
      <circle cx="24.7" cy="21" r="4.5" fill="var(--algorithm-direct)" />
      <circle cx="7.3" cy="21" r="4.5" fill="var(--algorithm-mpi)" />
    </svg>
  );
}
