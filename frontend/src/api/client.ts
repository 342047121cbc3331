/** The typed HTTP client: same origin, session cookie, problem documents as errors. */
import createClient from "openapi-fetch";
import type { paths } from "./schema";
import { site } from "./site";

export interface FieldProblem {
  pointer: string;
  detail: string;
}

/** An answer that is not 2xx, with the server's own sentences (RFC 9457) or a substitute if there are none. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly fields: FieldProblem[],
  ) {
    super(detail);
    this.name = "ApiError";
  }
}

interface Problem {
  title?: string;
  detail?: string;
  code?: string;
  errors?: FieldProblem[];
}

/** The error for an answer's body, whatever the body is. */
export function apiError(status: number, body: unknown): ApiError {
  const problem: Problem = typeof body === "object" && body !== null ? body : {};
  const detail = problem.detail ?? problem.title ?? `The server answered ${status} without an explanation.`;
  return new ApiError(status, problem.code ?? "", detail, Array.isArray(problem.errors) ? problem.errors : []);
}

// A cookie alone must not be enough to change anything: other sites cannot send this header.
export const api = createClient<paths>({
  baseUrl: site(),
  headers: { "X-Ringscope-Client": "web" },
});

const UNREACHED = "The server could not be reached; check that it runs, then try again.";

// Browsers word this differently, and none of the texts helps. It is no ApiError, as the server has not answered.
api.use({
  onError: ({ error, request }) => (request.signal.aborted ? undefined : new Error(UNREACHED, { cause: error })),
});

/** The data of an answer, or a thrown ApiError. */
export function unwrap<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  if (!answer.response.ok) throw apiError(answer.response.status, answer.error);
  return answer.data as T;
}

/** 128 random bits in hex; also works on plain http, where crypto.randomUUID does not exist. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
