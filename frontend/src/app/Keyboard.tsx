import { Button, useMantineColorScheme } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { type Command, linksCommand, placeCommands, settingsCommands, themeCommands } from "./commands";
import { KeyHelp } from "./KeyHelp";
import { Palette } from "./Palette";
import classes from "./Shell.module.css";
import { MAIN_PAGES } from "./mainPages";
import { useRole } from "../components/hooks/useRole";
import { useShortcut } from "../components/hooks/shortcuts";

/** The keys that work on every page, and the buttons for the palette and for help. */
export function Keyboard({ mayChange, onLogOut }: { mayChange: boolean; onLogOut: () => void }) {
  const [open, setOpen] = useState<"palette" | "help" | null>(null);
  const navigate = useNavigate();
  const go = useCallback((path: string) => void navigate({ href: path }), [navigate]);
  const openPalette = useCallback(() => setOpen("palette"), []);
  const openHelp = useCallback(() => setOpen("help"), []);
  const newJob = useCallback(() => go("/jobs/new"), [go]);
  const close = useCallback(() => setOpen(null), []);
  useShortcut("palette", openPalette);
  useShortcut("help", openHelp);
  useShortcut("new", mayChange ? newJob : null);
  const commands = useMemo((): Command[] => {
    const make: Command[] = mayChange ? [{ id: "new", kind: "Do", title: "New job", key: "n", run: newJob }] : [];
    return [...placeCommands(go), ...make, { id: "help", kind: "Do", title: "Show the keys", key: "?", run: openHelp }];
  }, [mayChange, go, newJob, openHelp]);
  const { isAdmin } = useRole();
  const { setColorScheme } = useMantineColorScheme();
  const more = useMemo(
    (): Command[] => [
      linksCommand(go),
      ...settingsCommands(go, isAdmin),
      ...themeCommands(setColorScheme),
      { id: "log-out", kind: "Do", title: "Log out", run: onLogOut },
    ],
    [go, isAdmin, setColorScheme, onLogOut],
  );
  return (
    <>
      {MAIN_PAGES.map(({ key, path }) => (
        <GoKey key={key} letter={key} path={path} go={go} />
      ))}
      <Button className={classes.key} variant="subtle" color="gray" px={8} onClick={openPalette} aria-keyshortcuts="Control+K Meta+K" title="Command palette">
        {isMac() ? "⌘K" : "Ctrl K"}
      </Button>
      <Button className={classes.key} variant="subtle" color="gray" px={8} onClick={openHelp} aria-label="Keys" title="Keys (?)">
        ?
      </Button>
      <Palette isOpen={open === "palette"} onClose={close} commands={commands} more={more} go={go} />
      <KeyHelp isOpen={open === "help"} onClose={close} />
    </>
  );
}

/** One page's key after g. */
function GoKey({ letter, path, go }: { letter: string; path: string; go: (path: string) => void }) {
  const handler = useCallback(() => go(path), [go, path]);
  useShortcut(`go:${letter}`, handler);
  return null;
}

function isMac(): boolean {
  return /mac/i.test(navigator.userAgent);
}
