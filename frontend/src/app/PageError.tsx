/** What is shown instead of a page that cannot be shown. */
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { usePageTitle } from "../components/hooks/usePageTitle";

/** Shown for an address without a page. */
export function NotFound() {
  usePageTitle("not found");
  return (
    <section className="page">
      <h1>There is no such page</h1>
      <p>
        Go to the <Link to="/">overview</Link> or look through the <Link to="/jobs">jobs</Link>.
      </p>
    </section>
  );
}

/** Shown for a page that broke, for example if a chunk could not be loaded after an update of the server. */
export function PageError({ error }: { error: unknown }) {
  usePageTitle("error");
  return (
    <section className="page">
      <h1>This page could not be shown</h1>
      <p role="alert">{error instanceof Error ? error.message : String(error)}</p>
      <p>
        <Button onClick={() => window.location.reload()}>Reload the page</Button>
      </p>
    </section>
  );
}
