/** The map of the pages. Each page is its own chunk; what a URL's query means is in lib/. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  redirect,
} from "@tanstack/react-router";
import { formSearch } from "../lib/form";
import { jobSearch, jobsSearch, parseSearch, stringifySearch } from "../lib/search";
import { NotFound, PageError } from "./PageError";
import { Shell } from "./Shell";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const overview = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => import("../pages/overview/OverviewPage"), "OverviewPage"),
});

const jobs = createRoute({
  getParentRoute: () => root,
  path: "/jobs",
  validateSearch: jobsSearch,
  component: lazyRouteComponent(() => import("../pages/jobs/JobsPage"), "JobsPage"),
});

const newJob = createRoute({
  getParentRoute: () => root,
  path: "/jobs/new",
  validateSearch: formSearch,
  component: lazyRouteComponent(() => import("../pages/submit/SubmitPage"), "SubmitPage"),
});

const job = createRoute({
  getParentRoute: () => root,
  path: "/jobs/$jobId",
  params: {
    parse: ({ jobId }) => {
      if (!/^\d+$/.test(jobId)) throw notFound();
      return { jobId: Number(jobId) };
    },
    stringify: ({ jobId }) => ({ jobId: String(jobId) }),
  },
  validateSearch: jobSearch,
  component: lazyRouteComponent(() => import("../pages/job/JobPage"), "JobPage"),
});

const nodes = createRoute({
  getParentRoute: () => root,
  path: "/nodes",
  component: lazyRouteComponent(() => import("../pages/nodes/NodesPage"), "NodesPage"),
});

const node = createRoute({
  getParentRoute: () => root,
  path: "/nodes/$name",
  component: lazyRouteComponent(() => import("../pages/nodes/NodePage"), "NodePage"),
});

// The server answers /login?token=… itself; this is where people land who type /login.
const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  beforeLoad: () => {
    throw redirect({ to: "/" });
  },
});

export const router = createRouter({
  routeTree: root.addChildren([overview, jobs, newJob, job, nodes, node, login]),
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  defaultErrorComponent: PageError,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
