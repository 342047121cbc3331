// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from "vitest";

let answer: () => Promise<Response>;
let asked: string[];
// The client takes the function when it is made.
vi.stubGlobal("fetch", async (request: Request) => {
  asked.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`);
  return answer();
});

const { follow, loginLink } = await import("./loginLink");

const SITE = "http://site.example:8000";

beforeEach(() => {
  asked = [];
  answer = () => Promise.resolve(new Response(null, { status: 204 }));
});

function link(query: string) {
  return loginLink(new URL(`${SITE}/login${query}`));
}

it("uses a link's token up and goes on at the page that was shared", async () => {
  const shared = link("?token=rs_a%2Bb&next=/jobs/1%3Ftab%3Dlog%26rank%3D2%23last");
  expect(shared && (await follow(shared))).toBe(`${SITE}/jobs/1?tab=log&rank=2#last`);
  expect(asked).toEqual(['POST /api/v1/session {"token":"rs_a+b"}']);
  expect(link("?token=rs_a")?.page).toBe(`${SITE}/`);
});

it("takes no other address for a link", () => {
  expect(link("")).toBeNull();
  expect(link("?token=")).toBeNull();
  expect(loginLink(new URL(`${SITE}/jobs?token=rs_a`))).toBeNull();
});

it.each(["//evil.example", "https://evil.example", "/\\evil.example", "/\t/evil.example", "/\n/evil.example", "javascript:alert(1)", "http://"])(
  "never leads to another site: %j",
  (next) => {
    expect(link(`?token=rs_a&next=${encodeURIComponent(next)}`)?.page).toBe(`${SITE}/`);
  },
);

it("stays here where a path only looks as if it led away", () => {
  expect(link("?token=rs_a&next=/.//evil.example")?.page).toBe(`${SITE}//evil.example`);
});

it("distinguishes a used link from one that may be followed again", async () => {
  const used = { token: "rs_a", page: `${SITE}/` };
  const expected = { 401: "expired", 422: "expired", 429: "failed", 503: "failed" };
  for (const [status, outcome] of Object.entries(expected)) {
    answer = () => Promise.resolve(new Response("{}", { status: Number(status) }));
    expect(await follow(used)).toBe(`/?login=${outcome}`);
  }
  answer = () => Promise.reject(new TypeError("Failed to fetch"));
  expect(await follow(used)).toBe("/?login=failed");
});
