/** Announcements to screen readers: one polite region, present from the start, which names what has changed. */
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";

const AnnounceContext = createContext<(text: string) => void>(() => undefined);

export function AnnouncementProvider({ children }: { children: ReactNode }) {
  const [text, setText] = useState("");
  return (
    <AnnounceContext value={setText}>
      <p className="hidden-visually" role="status">
        {text}
      </p>
      {children}
    </AnnounceContext>
  );
}

/** Announces a text when it has changed; not the first one, which the page itself shows, and no empty text. */
export function useAnnouncement(text: string): void {
  const announce = useContext(AnnounceContext);
  const last = useRef(text);
  useEffect(() => {
    if (text === "" || last.current === text) return;
    if (last.current !== "") announce(text);
    last.current = text;
  }, [text, announce]);
}
