/** A login link is used up by this script, and not by whoever only asks for its page: a chat does, to show a preview. */
import { api } from "../api/client";
import { ROOT } from "../api/site";

export interface LoginLink {
  token: string;
  /** The address of the page that it leads to. */
  page: string;
}

/** What an address holds that is a login link's; null for any other. */
export function loginLink(address: URL): LoginLink | null {
  const token = address.searchParams.get("token");
  if (address.pathname !== `${ROOT}/login` || !token) return null;
  return { token, page: onThisSite(address.searchParams.get("next") ?? "/", address.origin) };
}

/** Logs this browser in; gives the address to go on at. */
export async function follow({ token, page }: LoginLink): Promise<string> {
  try {
    const { response } = await api.POST("/api/v1/session", { body: { token } });
    if (response.ok) return page;
    return response.status === 429 || response.status >= 500 ? `${ROOT}/?login=failed` : `${ROOT}/?login=expired`;
  } catch {
    return `${ROOT}/?login=failed`;
  }
}

/** As the browser understands it: a link must not send whoever has just logged in to another site. */
function onThisSite(next: string, origin: string): string {
  const page = URL.canParse(next, origin) ? new URL(next, origin) : null;
  const isHere = page?.origin === origin;
  return isHere ? `${origin}${ROOT}${page.pathname}${page.search}${page.hash}` : `${origin}${ROOT}/`;
}
