import { ErrorNote } from "./ErrorNote";

interface Props {
  title: string;
  /** As ErrorNote has it. */
  what: string;
  error: Error;
  onRetry?: () => void;
}

/** A page whose content could not be loaded still says what it is. */
export function FailedPage({ title, ...rest }: Props) {
  return (
    <div className="page">
      <h1>{title}</h1>
      <ErrorNote {...rest} />
    </div>
  );
}
