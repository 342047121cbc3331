/** The live connection of this tab: its state, and the topics that the shown page watches. */
import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { api, unwrap } from "../api/client";
import { applyEvents, refetchAll } from "./deltas";
import { lookOut, type Outage } from "./outage";
import { meQuery } from "./server";
import { LiveStream, type StreamStatus } from "./stream";

const HIDDEN_MS = 60_000;

interface Live {
  stream: LiveStream;
  status: StreamStatus;
  /** Null: the server answers, as far as is known. */
  outage: Outage | null;
}

const LiveContext = createContext<Live | null>(null);

/** Opens the stream for everything below, polls while it is down, pauses it while the tab is hidden. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [status, setStatus] = useState<StreamStatus>("reconnecting");
  const [outage, setOutage] = useState<Outage | null>(null);
  const [stream] = useState(
    () =>
      new LiveStream({
        onEvents: (events) => applyEvents(client, events),
        onFresh: () => void refetchAll(client),
        onStatus: (next) => {
          setStatus(next);
          if (next === "live") setOutage(null);
        },
        onEnd: () => void client.invalidateQueries(meQuery),
      }),
  );
  useEffect(() => {
    stream.start();
    return () => stream.close();
  }, [stream]);
  useEffect(() => pauseWhileHidden(stream), [stream]);
  useEffect(() => {
    if (status !== "reconnecting" && status !== "stale") return;
    const sinceMs = Date.now();
    let asOfMs = stream.lastHeardAtMs ?? sinceMs;
    return lookOut({
      ask: async (signal) => unwrap(await api.GET("/api/v1/me", { signal })),
      // What a server that is gone would be asked takes nothing away, and brings nothing either.
      onAnswer: (isFirst) => {
        asOfMs = Date.now();
        setOutage(null);
        if (!isFirst) void refetchAll(client);
      },
      onSilence: () => setOutage((before) => before ?? { sinceMs, asOfMs }),
    });
  }, [status, client, stream]);
  return <LiveContext value={{ stream, status, outage }}>{children}</LiveContext>;
}

/** Adds a topic such as "job:42" to the stream for as long as the component is shown. */
export function useTopic(topic: string): void {
  const { stream } = useLive();
  useEffect(() => stream.watch(topic), [stream, topic]);
}

/** The stream, and whether what is shown follows the server right now. */
export function useLive(): Live {
  const live = useContext(LiveContext);
  if (!live) throw new Error("useLive needs a LiveProvider above it.");
  return live;
}

function pauseWhileHidden(stream: LiveStream): () => void {
  let timer: number | undefined;
  let isPaused = false;
  const onChange = (): void => {
    window.clearTimeout(timer);
    if (document.hidden) {
      timer = window.setTimeout(() => {
        isPaused = true;
        stream.pause();
      }, HIDDEN_MS);
    } else if (isPaused) {
      isPaused = false;
      stream.start();
    }
  };
  document.addEventListener("visibilitychange", onChange);
  return () => {
    window.clearTimeout(timer);
    document.removeEventListener("visibilitychange", onChange);
  };
}
