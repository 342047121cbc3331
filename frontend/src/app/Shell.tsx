/** The frame of every page: skip link, top bar and the page itself; the login page if the user is not logged in. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useRouter, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { ApiError } from "../api/client";
import { graphsQuery, meQuery } from "../data/server";
import { ErrorNote } from "../components/states/ErrorNote";
import { LoginPage } from "../pages/login/LoginPage";
import { Account } from "./Account";
import { AnnouncementProvider } from "../components/hooks/announcements";
import { BootFrame } from "./BootFrame";
import { Keyboard } from "./Keyboard";
import { LiveProvider } from "../data/live";
import { LiveIndicator } from "./LiveIndicator";
import { keepFocus } from "../components/hooks/keepFocus";
import { Logo } from "../components/Logo";
import { Popover } from "../components/controls/Popover";
import { OutageBanner } from "./OutageBanner";
import { MAIN_PAGES } from "./mainPages";
import classes from "./Shell.module.css";
import { Reasons } from "../components/marks/Reasons";
import { ShortcutProvider } from "../components/hooks/shortcuts";
import { ThemeToggle } from "./ThemeToggle";
import { useWidthStep } from "../components/hooks/useWidthStep";
import { useLogOut } from "./useLogOut";

export function Shell() {
  const me = useQuery(meQuery);
  if (me.error instanceof ApiError && me.error.status === 401) return <LoginPage />;
  if (me.error && !me.data) {
    return (
      <main className={classes.main}>
        <ErrorNote error={me.error} what="The server does not answer" onRetry={() => void me.refetch()} />
      </main>
    );
  }
  if (!me.data) return <BootFrame />;
  return (
    <LiveProvider>
      <ShortcutProvider>
        <KeptFocus />
        <AnnouncementProvider>
          <a className={classes.skip} href="#content">
            Skip to the content
          </a>
          <TopBar name={me.data.name} role={me.data.role} />
          <main id="content" className={classes.main} tabIndex={-1}>
            <Outlet />
          </main>
          <OutageBanner />
          <Reasons />
        </AnnouncementProvider>
      </ShortcutProvider>
    </LiveProvider>
  );
}

/** After a form was sent or a link was followed, the new page has no focus of its own, so its content gets the focus. */
function KeptFocus() {
  const router = useRouter();
  useEffect(
    () => router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
      if (fromLocation && pathChanged) keepFocus();
    }),
    [router],
  );
  return null;
}

/** From this width on the top bar has room for the links. */
const WIDE_PX = [721] as const;

function TopBar({ name, role }: { name: string; role: string }) {
  const logOut = useLogOut();
  const isWide = useWidthStep(WIDE_PX) > 0;
  const path = useRouterState({ select: (state) => state.location.pathname });
  const rest = (
    <>
      <ThemeToggle />
      <Account name={name} role={role} logOut={logOut} />
    </>
  );
  return (
    <header className={classes.bar}>
      <Link to="/" className={classes.brand} aria-label="ringscope, overview">
        <Logo />
        <span>ringscope</span>
      </Link>
      {isWide && <Places />}
      <div className={classes.tools}>
        <LiveIndicator />
        <Keyboard mayChange={role !== "viewer"} onLogOut={logOut.mutate} />
        {isWide ? (
          rest
        ) : (
          <Popover label="Menu" place={path}>
            <div className={classes.drawer}>
              <Places />
              <div>{rest}</div>
            </div>
          </Popover>
        )}
        {role !== "viewer" && (
          <Button variant="filled" renderRoot={(props) => <Link to="/jobs/new" {...props} />}>
            New job
          </Button>
        )}
      </div>
    </header>
  );
}

function Places() {
  const graphs = useQuery(graphsQuery);
  const nav = useShownPlace();
  return (
    <nav ref={nav} aria-label="Pages" className={classes.nav}>
      {MAIN_PAGES.map(({ title, path }) => (
        <Link
          key={path}
          to={path}
          activeOptions={{ exact: path === "/", includeSearch: false }}
          activeProps={{ "data-active": true }}
        >
          {title}
        </Link>
      ))}
      {graphs.data?.grafana_url && (
        <a href={graphs.data.grafana_url} target="_blank" rel="noreferrer">
          Grafana ↗
        </a>
      )}
    </nav>
  );
}

/** On a phone the links scroll sideways; the one of the open page is scrolled into view. */
function useShownPlace() {
  const nav = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.location.pathname });
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      const places = nav.current;
      if (places && places.scrollWidth > places.clientWidth) {
        places.querySelector("[data-active]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
      }
    });
    return () => cancelAnimationFrame(frame);
  }, [path]);
  return nav;
}
