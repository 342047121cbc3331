/** What a screen reader is told by itself: one polite region, there from the start, which says what has changed. */
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

/** Says a text whenever it has changed; not the first one, which the page itself shows, and none that is empty. */
export function useAnnouncement(text: string): void {
  const announce = useContext(AnnounceContext);
  const last = useRef(text);
  useEffect(() => {
    if (text === "" || last.current === text) return;
    if (last.current !== "") announce(text);
    last.current = text;
  }, [text, announce]);
}
