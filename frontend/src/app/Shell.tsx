/** The frame of every page: skip link, top bar, the page itself; the login page when nobody is logged in. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { ApiError } from "../api/client";
import { meQuery } from "../api/queries";
import { ErrorNote } from "../components/ErrorNote";
import { LoginPage } from "../pages/login/LoginPage";
import { Account } from "./Account";
import { LiveProvider } from "./live";
import { LiveIndicator } from "./LiveIndicator";
import { Logo } from "./Logo";
import classes from "./Shell.module.css";
import { ThemeToggle } from "./ThemeToggle";

export function Shell() {
  const me = useQuery(meQuery);
  if (me.error instanceof ApiError && me.error.status === 401) return <LoginPage />;
  if (me.error) {
    return (
      <main className={classes.main}>
        <ErrorNote error={me.error} what="The server does not answer" onRetry={() => void me.refetch()} />
      </main>
    );
  }
  if (!me.data) return null;
  return (
    <LiveProvider>
      <a className={classes.skip} href="#content">
        Skip to the content
      </a>
      <TopBar name={me.data.name} role={me.data.role} />
      <main id="content" className={classes.main} tabIndex={-1}>
        <Outlet />
      </main>
    </LiveProvider>
  );
}

function TopBar({ name, role }: { name: string; role: string }) {
  const isActive = { activeProps: { "data-active": true } };
  return (
    <header className={classes.bar}>
      <Link to="/" className={classes.brand} aria-label="ringscope, overview">
        <Logo />
        <span>ringscope</span>
      </Link>
      <nav aria-label="Pages" className={classes.nav}>
        <Link to="/" activeOptions={{ exact: true }} {...isActive}>
          Overview
        </Link>
        <Link to="/jobs" activeOptions={{ includeSearch: false }} {...isActive}>
          Jobs
        </Link>
        <Link to="/nodes" {...isActive}>
          Nodes
        </Link>
      </nav>
      <div className={classes.tools}>
        <LiveIndicator />
        <ThemeToggle />
        <Account name={name} role={role} />
        {role !== "viewer" && (
          <Button variant="filled" renderRoot={(props) => <Link to="/jobs/new" {...props} />}>
            New job
          </Button>
        )}
      </div>
    </header>
  );
}
