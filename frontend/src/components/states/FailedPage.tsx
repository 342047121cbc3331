import { ErrorNote } from "./ErrorNote";

interface Props {
  title: string;
  /** As in ErrorNote. */
  what: string;
  error: Error;
  onRetry?: () => void;
}

/** A page whose content could not be loaded; it still has its title. */
export function FailedPage({ title, ...rest }: Props) {
  return (
    <div className="page">
      <h1>{title}</h1>
      <ErrorNote {...rest} />
    </div>
  );
}
