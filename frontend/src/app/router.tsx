/** The map of the pages. Each page is its own chunk; what a URL's query means is in lib/. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  notFound,
  redirect,
} from "@tanstack/react-router";
import { eventsQuery, jobQuery } from "../data/job";
import { activeJobsQuery, facetsQuery, jobsQuery, recentJobsQuery } from "../data/jobs";
import { clusterQuery, nodesQuery } from "../data/nodes";
import { PageSkeleton } from "../components/states/Skeleton";
import { auditSearch } from "../lib/audit";
import { formSearch } from "../lib/form/formSearch";
import { planSearch } from "../lib/form/planForm";
import { ringSearch } from "../lib/form/ringForm";
import { chosenSearch, compareSearch, filterOf, jobSearch, jobsSearch, parseSearch, schedulesSearch, stringifySearch } from "../lib/search/search";
import { tracedSearch } from "../lib/search/tracedSearch";
import { ahead } from "./ahead";
import { lazyPage } from "./lazyPage";
import { NotFound, PageError } from "./PageError";
import { Shell } from "./Shell";
import { ROOT } from "../api/site";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const overview = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyPage(() => import("../pages/overview/OverviewPage"), "OverviewPage"),
  loader: ({ cause }) => ahead(cause, (client) => [
    client.prefetchQuery(clusterQuery),
    client.prefetchQuery(nodesQuery),
    client.prefetchQuery(recentJobsQuery),
    client.prefetchQuery(activeJobsQuery),
  ]),
});

const jobs = createRoute({
  getParentRoute: () => root,
  path: "/jobs",
  validateSearch: jobsSearch,
  component: lazyPage(() => import("../pages/jobs/JobsPage"), "JobsPage"),
  loader: ({ cause, location }) => ahead(cause, (client) => {
    const search = jobsSearch(location.search);
    return [
      client.prefetchInfiniteQuery(jobsQuery(filterOf(search), search.sort)),
      client.prefetchQuery(facetsQuery(filterOf(search))),
    ];
  }),
});

const newJob = createRoute({
  getParentRoute: () => root,
  path: "/jobs/new",
  validateSearch: formSearch,
  component: lazyPage(() => import("../pages/submit/SubmitPage"), "SubmitPage"),
});

const jobParams = {
  parse: ({ jobId }: { jobId: string }) => {
    if (!/^\d+$/.test(jobId)) throw notFound();
    return { jobId: Number(jobId) };
  },
  stringify: ({ jobId }: { jobId: number }) => ({ jobId: String(jobId) }),
};

const job = createRoute({
  getParentRoute: () => root,
  path: "/jobs/$jobId",
  params: jobParams,
  validateSearch: jobSearch,
  component: lazyPage(() => import("../pages/job/JobPage"), "JobPage"),
  loader: ({ cause, params }) => ahead(cause, (client) => [
    client.prefetchQuery(jobQuery(params.jobId)),
    client.prefetchQuery(eventsQuery(params.jobId)),
  ]),
});

const jobRing = createRoute({
  getParentRoute: () => root,
  path: "/jobs/$jobId/ring",
  params: jobParams,
  validateSearch: tracedSearch,
  component: lazyPage(() => import("../pages/ring/JobRingPage"), "JobRingPage"),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: "/compare",
  validateSearch: compareSearch,
  component: lazyPage(() => import("../pages/compare/ComparePage"), "ComparePage"),
});

const nodes = createRoute({
  getParentRoute: () => root,
  path: "/nodes",
  component: lazyPage(() => import("../pages/nodes/NodesPage"), "NodesPage"),
  loader: ({ cause }) => ahead(cause, (client) => [client.prefetchQuery(nodesQuery)]),
});

const node = createRoute({
  getParentRoute: () => root,
  path: "/nodes/$name",
  component: lazyPage(() => import("../pages/nodes/NodePage"), "NodePage"),
  loader: ({ cause }) => ahead(cause, (client) => [client.prefetchQuery(nodesQuery)]),
});

const plan = createRoute({
  getParentRoute: () => root,
  path: "/plan",
  validateSearch: planSearch,
  component: lazyPage(() => import("../pages/plan/PlanPage"), "PlanPage"),
});

const ring = createRoute({
  getParentRoute: () => root,
  path: "/ring",
  validateSearch: ringSearch,
  component: lazyPage(() => import("../pages/ring/RingPage"), "RingPage"),
});

const diagnose = createRoute({
  getParentRoute: () => root,
  path: "/diagnose",
  component: lazyPage(() => import("../pages/diagnose/DiagnosePage"), "DiagnosePage"),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  beforeLoad: () => {
    throw redirect({ to: "/settings/tokens" });
  },
});

const tokens = createRoute({
  getParentRoute: () => root,
  path: "/settings/tokens",
  component: lazyPage(() => import("../pages/settings/TokensPage"), "TokensPage"),
});

const webhooks = createRoute({
  getParentRoute: () => root,
  path: "/settings/webhooks",
  validateSearch: chosenSearch,
  component: lazyPage(() => import("../pages/settings/webhooks/WebhooksPage"), "WebhooksPage"),
});

const schedules = createRoute({
  getParentRoute: () => root,
  path: "/settings/schedules",
  validateSearch: schedulesSearch,
  component: lazyPage(() => import("../pages/settings/schedules/SchedulesPage"), "SchedulesPage"),
});

const monitoring = createRoute({
  getParentRoute: () => root,
  path: "/settings/monitoring",
  component: lazyPage(() => import("../pages/settings/monitoring/MonitoringPage"), "MonitoringPage"),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: "/settings/audit",
  validateSearch: auditSearch,
  component: lazyPage(() => import("../pages/settings/AuditPage"), "AuditPage"),
});

// A link's /login?token=… never comes here (loginLink.ts); this is for users who type /login.
const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  beforeLoad: () => {
    throw redirect({ to: "/" });
  },
});

const SKELETON_MS = 200;

export const router = createRouter({
  basepath: ROOT || "/",
  routeTree: root.addChildren([
    overview, jobs, newJob, job, jobRing, compare, nodes, node, plan, ring, diagnose, settings, tokens, webhooks, schedules, monitoring, audit, login,
  ]),
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  defaultErrorComponent: PageError,
  // The previous page stays until the skeleton is due; once shown, the skeleton stays long enough not to flash.
  defaultPendingMs: SKELETON_MS,
  defaultPendingMinMs: SKELETON_MS,
  defaultPendingComponent: () => <PageSkeleton title="Loading" isDue />,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
