import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../../api/client";
import { ROOT } from "../../../api/site";
import { Command } from "../../../components/controls/Command";
import { buttonsClass, Dialog } from "../../../components/controls/Dialog";
import { ErrorNote } from "../../../components/states/ErrorNote";
import { formatDateTime } from "../../../lib/format";
import classes from "./ShareDialog.module.css";

/** A link to the current view of this page, for people without a login, who may change nothing. */
export function Share() {
  const [isOpen, setOpen] = useState(false);
  const link = useMutation({
    mutationFn: async () => {
      const { pathname, search, hash } = window.location;
      return unwrap(await api.POST("/api/v1/login-links", { body: { role: "viewer", next: pathname.slice(ROOT.length) + search + hash } }));
    },
  });
  const open = (): void => {
    link.mutate();
    setOpen(true);
  };
  return (
    <>
      <Button onClick={open}>Share …</Button>
      <Dialog title="Share this page" isOpen={isOpen} onClose={() => setOpen(false)}>
        <p>
          The first person to open it can view everything and change nothing.
          {link.data && ` It works once, until ${formatDateTime(link.data.expires_at)}.`}
        </p>
        {link.error && <ErrorNote what="The link was not made" error={link.error} onRetry={() => link.mutate()} />}
        {link.data && <Command text={reachable(link.data.url)} label="Copy link" />}
        {link.data && isLoopback(reachable(link.data.url)) && (
          <p className={classes.warning} role="note">
            Only this machine can open the link: its address is {new URL(reachable(link.data.url)).hostname}. Start the server with{" "}
            <code>--host</code> and open this page by an address that others can reach.
          </p>
        )}
        <p className="dim">A person who is logged in needs only the address of the page.</p>
        <div className={buttonsClass}>
          <Button onClick={() => setOpen(false)}>Done</Button>
        </div>
      </Dialog>
    </>
  );
}

/** Behind a proxy the server may know only its local address; then the page's own address is used. */
function reachable(url: string): string {
  const { pathname, search } = new URL(url);
  return isLoopback(url) ? `${window.location.origin}${pathname}${search}` : url;
}

function isLoopback(url: string): boolean {
  return LOOPBACK.test(new URL(url).hostname);
}

const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;
