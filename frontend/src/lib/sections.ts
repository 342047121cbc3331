/** The sections of the settings, each a page. */
export const SECTIONS = [
  { title: "Tokens", path: "/settings/tokens", isForAdmins: true },
  { title: "Webhooks", path: "/settings/webhooks", isForAdmins: true },
  { title: "Schedules", path: "/settings/schedules", isForAdmins: false },
  { title: "Monitoring", path: "/settings/monitoring", isForAdmins: false },
  { title: "Audit", path: "/settings/audit", isForAdmins: false },
] as const;
