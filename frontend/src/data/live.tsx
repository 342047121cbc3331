/** The live connection of this tab: its state, and the topics that the shown page watches. */
import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { api, unwrap } from "../api/client";
import { applyEvents, refetchAll } from "./deltas";
import { type Outage, lateness, lookOut } from "./outage";
import { meQuery } from "./server";
import { LiveStream, type StreamStatus } from "./stream";
import { takeTurns } from "./turn";

/** The states without a stream, in which the page polls. */
const WITHOUT_STREAM: ReadonlySet<StreamStatus> = new Set(["reconnecting", "stale", "polling"]);

interface Live {
  stream: LiveStream;
  status: StreamStatus;
  /** Null: the server answers, as far as is known. */
  outage: Outage | null;
  /** Which of the server's own tasks is late, in a sentence; null: none. */
  late: string | null;
}

const LiveContext = createContext<Live | null>(null);

/** Opens the stream for everything below when it is this tab's turn, and polls while there is none. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [status, setStatus] = useState<StreamStatus>("reconnecting");
  const [outage, setOutage] = useState<Outage | null>(null);
  const [late, setLate] = useState<string | null>(null);
  const [stream] = useState(
    () =>
      new LiveStream({
        onEvents: (events) => {
          const news = lateness(events);
          if (news !== undefined) setLate(news);
          applyEvents(client, events);
        },
        onFresh: () => {
          setLate(null);
          void refetchAll(client);
        },
        onStatus: (next) => {
          setStatus(next);
          if (next === "live") setOutage(null);
        },
        onEnd: () => void client.invalidateQueries(meQuery),
      }),
  );
  useEffect(() => {
    const leave = takeTurns(stream);
    return () => {
      leave();
      stream.close();
    };
  }, [stream]);
  useEffect(() => {
    if (!WITHOUT_STREAM.has(status)) return;
    const sinceMs = Date.now();
    let asOfMs = stream.lastHeardAtMs ?? sinceMs;
    return lookOut({
      ask: async (signal) => unwrap(await api.GET("/api/v1/me", { signal })),
      // While the server cannot be reached a request would neither remove nor add anything.
      onAnswer: (isFirst) => {
        asOfMs = Date.now();
        setOutage(null);
        // A stream that broke has missed a second at most; a tab without a slot may have been hidden for hours.
        if (!isFirst || status === "polling") void refetchAll(client);
      },
      onSilence: () => setOutage((before) => before ?? { sinceMs, asOfMs }),
    });
  }, [status, client, stream]);
  return <LiveContext value={{ stream, status, outage, late }}>{children}</LiveContext>;
}

/** Adds a topic such as "job:42" to the stream while the component is shown. */
export function useTopic(topic: string): void {
  const { stream } = useLive();
  useEffect(() => stream.watch(topic), [stream, topic]);
}

/** The stream, and whether the page follows the server right now. */
export function useLive(): Live {
  const live = useContext(LiveContext);
  if (!live) throw new Error("useLive needs a LiveProvider above it.");
  return live;
}
