import { Button, NativeSelect } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../../api/client";
import { ROOT } from "../../../api/site";
import type { TokenView } from "../../../api/types";
import { Age } from "../../../components/Age";
import { Command } from "../../../components/controls/Command";
import { buttonsClass, Dialog } from "../../../components/controls/Dialog";
import { ErrorNote } from "../../../components/states/ErrorNote";
import { Warnings } from "../../../components/states/Warnings";
import { tokensQuery } from "../../../data/settings";
import { formatDateTime } from "../../../lib/format";
import classes from "./ShareDialog.module.css";

const LIFETIMES = [
  { value: "1", label: "1 day" },
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
];

/** A link to the current view of this page, for people without a login, who may change nothing. */
export function Share() {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Share …</Button>
      <Dialog title="Share this page" isOpen={isOpen} onClose={close}>
        <ShareLinks onClose={close} />
      </Dialog>
    </>
  );
}

/** Makes a link, and lists those to this view that work, so that each can be revoked. */
function ShareLinks({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [page] = useState(() => window.location.pathname.slice(ROOT.length) + window.location.search + window.location.hash);
  const [days, setDays] = useState("7");
  const tokens = useQuery(tokensQuery);
  const again = (): void => void client.invalidateQueries({ queryKey: tokensQuery.queryKey });
  const make = useMutation({
    mutationFn: async () => unwrap(await api.POST("/api/v1/share-links", { body: { next: page, expires_in_days: Number(days) } })),
    onSuccess: again,
  });
  const revoke = useMutation({
    mutationFn: async (id: number) => unwrap(await api.DELETE("/api/v1/tokens/{token_id}", { params: { path: { token_id: id } } })),
    onSuccess: (_, id) => {
      if (id === make.data?.id) make.reset();
      again();
    },
  });
  const links = tokens.data?.filter(({ kind, note }) => kind === "share" && note === page) ?? [];
  return (
    <>
      <p>
        {make.data
          ? `Anyone with this link can view everything and change nothing until ${formatDateTime(make.data.expires_at)}.`
          : "Anyone with the link can view everything and change nothing until it expires or you revoke it."}
      </p>
      {make.error && <ErrorNote what="The link was not made" error={make.error} onRetry={() => make.mutate()} />}
      {make.data && <Made url={reachable(make.data.url)} />}
      {!make.data && <NativeSelect label="The link expires after" data={LIFETIMES} value={days} onChange={(event) => setDays(event.currentTarget.value)} />}
      {revoke.error && <ErrorNote what="The link was not revoked" error={revoke.error} />}
      {links.length > 0 && (
        <>
          <h3 className={classes.title}>Links to this page that work</h3>
          <ul className={classes.links}>
            {links.map((link) => (
              <li key={link.id}>
                <LinkLife link={link} />
                <Button onClick={() => revoke.mutate(link.id)} aria-busy={revoke.isPending}>
                  Revoke<span className="hidden-visually"> link {link.id}</span>
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
      <p className="dim">A person who is logged in needs only the address of the page.</p>
      <div className={buttonsClass}>
        <Button onClick={onClose}>{make.data ? "Done" : "Cancel"}</Button>
        {!make.data && (
          <Button variant="filled" onClick={() => make.mutate()} aria-busy={make.isPending}>
            Make link
          </Button>
        )}
      </div>
    </>
  );
}

function LinkLife({ link }: { link: TokenView }) {
  return (
    <span>
      Link {link.id}, age <Age iso={link.created_at} />, last opened {link.last_used_at ? <Age iso={link.last_used_at} /> : "never"}
      {link.expires_at && <>, expires {formatDateTime(link.expires_at)}</>}
    </span>
  );
}

/** The new link, and a warning if only this machine can open it. */
function Made({ url }: { url: string }) {
  return (
    <>
      <Command text={url} label="Copy link" />
      {isLoopback(url) && (
        <Warnings
          warnings={[
            `Only this machine can open the link: its address is ${new URL(url).hostname}. Start the server with --host and open this page by an address that others can reach.`,
          ]}
        />
      )}
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
