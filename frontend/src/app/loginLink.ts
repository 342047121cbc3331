/** Only this script uses up a login link, not a request for its page: chats request it to show a preview. */
import { api } from "../api/client";
import { ROOT } from "../api/site";

export interface LoginLink {
  token: string;
  /** The address of the page to which the link leads. */
  page: string;
}

/** The parts of a login link's address; null for any other address. */
export function loginLink(address: URL): LoginLink | null {
  const token = address.searchParams.get("token");
  if (address.pathname !== `${ROOT}/login` || !token) return null;
  return { token, page: onThisSite(address.searchParams.get("next") ?? "/", address.origin) };
}

/** Logs this browser in and returns the address to continue at. */
export async function follow({ token, page }: LoginLink): Promise<string> {
  try {
    const { response } = await api.POST("/api/v1/session", { body: { token } });
    if (response.ok) return page;
    return response.status === 429 || response.status >= 500 ? `${ROOT}/?login=failed` : `${ROOT}/?login=expired`;
  } catch {
    return `${ROOT}/?login=failed`;
  }
}

/** Resolved as browsers do: a link must not send a user who has just logged in to another site. */
function onThisSite(next: string, origin: string): string {
  const page = URL.canParse(next, origin) ? new URL(next, origin) : null;
  const isHere = page?.origin === origin;
  return isHere ? `${origin}${ROOT}${page.pathname}${page.search}${page.hash}` : `${origin}${ROOT}/`;
}
