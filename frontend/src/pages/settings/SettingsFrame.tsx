import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { NeedsRole } from "../../components/states/NeedsRole";
import { usePageTitle } from "../../components/hooks/usePageTitle";
import { useRole } from "../../components/hooks/useRole";
import { SECTIONS } from "../../lib/sections";
import { TabList } from "../../components/TabList";

interface Props {
  title: (typeof SECTIONS)[number]["title"];
  /** A sentence about the section. */
  about: string;
  /** The control that makes a new item. */
  action?: ReactNode;
  children: ReactNode;
}

/** One section of the settings with links to the others; a user without the role gets a note instead. */
export function SettingsFrame({ title, about, action, children }: Props) {
  usePageTitle(title.toLowerCase(), "settings");
  const { isAdmin } = useRole();
  const isAllowed = isAdmin || !SECTIONS.find((section) => section.title === title)?.isForAdmins;
  return (
    <div className="page">
      <TabList label="Settings" current={title}>
        {SECTIONS.map((section) => (
          <Link key={section.path} to={section.path} activeOptions={{ includeSearch: false }}>
            {section.title}
          </Link>
        ))}
      </TabList>
      <div className="page-head">
        <h1>{title}</h1>
        <p className="dim">{about}</p>
        {isAllowed && action && <div className="spread">{action}</div>}
      </div>
      {isAllowed ? children : <NeedsRole name="admin" />}
    </div>
  );
}
