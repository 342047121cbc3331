/** What is shown instead of a page that cannot be shown. */
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { usePageTitle } from "../components/hooks/usePageTitle";
import { useLive } from "../data/live";
import { CodeNotLoaded } from "../components/lazyPart";

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

/** Shown for a page that broke, or whose code could not be loaded. */
export function PageError({ error }: { error: unknown }) {
  usePageTitle("error");
  return (
    <section className="page">
      <h1>This page could not be shown</h1>
      {error instanceof CodeNotLoaded ? <NotLoaded /> : <p role="alert">{error instanceof Error ? error.message : String(error)}</p>}
      <p>
        <Button onClick={() => window.location.reload()}>Reload the page</Button>
      </p>
    </section>
  );
}

/** Loads the page again once the server is back. */
function NotLoaded() {
  const isAway = useLive().outage !== null;
  const wasAway = useRef(isAway);
  useEffect(() => {
    if (wasAway.current && !isAway) window.location.reload();
    wasAway.current = isAway;
  }, [isAway]);
  return <p role="alert">The server did not deliver this page.{isAway && " It opens by itself once the server can be reached."}</p>;
}
