// Requests to the service, typed by the contract.
import createClient from "openapi-fetch";
import type { components, paths } from "./contract.gen";

export type Schemas = components["schemas"];

/** The key of this tab. It is kept in memory only, so it is gone when the tab is closed or reloaded. */
export const key = $state({ secret: "", required: false, problem: "", changes: 0 });

/** Uses a key for all requests from now on. */
export function useKey(secret: string): void {
  key.secret = secret;
  key.required = false;
  key.problem = "";
  key.changes++;
}

const base = new URL(".", document.baseURI).href.replace(/\/$/, "");

/** Whether the page has a service. A report has none: its data answers requests for a model. */
export const live = import.meta.env.MODE !== "report";

let send: (request: Request) => Promise<Response> = (request) => fetch(request);

/** Answers all requests of the client by a function instead of the service. */
export function answerBy(answer: (request: Request) => Promise<Response>): void {
  send = answer;
}

export const client = createClient<paths>({ baseUrl: live ? base : "http://report.invalid", fetch: (request) => send(request) });

client.use({
  onRequest({ request }) {
    if (key.secret) request.headers.set("Authorization", "Bearer " + key.secret);
    return request;
  },
});

/** A ServiceError is an answer of the service that is a problem. */
export class ServiceError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Reports whether an error only says that a request was cancelled. */
export const isCancelled = (error: unknown): boolean => error instanceof DOMException && error.name === "AbortError";

/** Returns the text of an error for people. */
export function textOf(error: unknown): string {
  if (error instanceof TypeError) return "The service does not answer.";
  return error instanceof Error ? error.message : String(error);
}

function problem(response: Response, body: unknown): ServiceError {
  const detail = (body as { detail?: unknown } | undefined)?.detail;
  const text = typeof detail === "string" ? detail : `HTTP status ${response.status}`;
  if (response.status === 401) {
    key.required = true;
    key.problem = key.secret ? text : "";
  }
  return new ServiceError(response.status, text);
}

const attempts = 4;

/** Sends a request and returns its answer. A busy service is asked again, as it requests. */
export async function ask<T>(send: () => Promise<{ data?: T; error?: unknown; response: Response }>, signal?: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const { data, error, response } = await send();
    if (response.ok) return data as T;
    const busy = response.status === 503 || response.status === 429;
    if (!busy || attempt === attempts) throw problem(response, error);
    const after = Math.min(Number(response.headers.get("Retry-After")) || 1, 5);
    await new Promise((resolve) => setTimeout(resolve, after * 1000));
    signal?.throwIfAborted();
  }
}

/** Returns the prediction for an input: of all methods, or of one method with its reasons. */
export async function predict(model: string, input: string, signal: AbortSignal, method?: string): Promise<Schemas["Answer"]> {
  const query = method === undefined ? {} : { method: [method], reasons: true };
  const send = () => client.POST("/v1/models/{model}/predictions", { params: { path: { model }, query }, body: { inputs: [{ input }] }, signal });
  const { answers } = (await ask(send, signal)) as Schemas["PredictAnswer"]; // as the body is JSON
  signal.throwIfAborted();
  return answers[0] ?? {};
}

/** Parses an input. Without a tree, the answer only tells whether the input is in the grammar. */
export async function parse(grammar: string, input: string, tree: boolean, signal: AbortSignal): Promise<Schemas["ParseAnswer"]> {
  const body = { input, format: tree ? "json" : "lisp", inside: tree } as Schemas["ParseRequest"]; // other fields have defaults
  const answer = await ask(() => client.POST("/v1/grammars/{grammar}/parses", { params: { path: { grammar } }, body, signal }), signal);
  signal.throwIfAborted();
  return answer;
}

/** Returns the explanation of a method. */
export async function explain(model: string, method: string): Promise<Schemas["Explanation"]> {
  const send = () => client.GET("/v1/models/{model}/methods/{method}", { params: { path: { model, method } } });
  return (await ask(send)) as Schemas["Explanation"]; // as JSON is the default
}

/** Sends a request, a GET if it has no body, and yields the lines of its streamed answer. */
export async function* stream<T extends object>(path: string, body: unknown, signal: AbortSignal): AsyncGenerator<T> {
  const headers: Record<string, string> = body === undefined ? {} : { "Content-Type": "application/json" };
  if (key.secret) headers["Authorization"] = "Bearer " + key.secret;
  const response = await fetch(base + path, body === undefined ? { headers, signal } : { method: "POST", headers, body: JSON.stringify(body), signal });
  if (!response.ok || !response.body) throw problem(response, await response.json().catch(() => undefined));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = "", ended = false; !ended; ) {
    const { value, done } = await reader.read();
    if (done) throw new Error("The answer is incomplete.");
    const parts = (rest + value).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      if (!part) continue;
      const line = JSON.parse(part) as T | Schemas["StreamEnd"];
      if ("count" in line) {
        if (line.error) throw new Error(line.error);
        ended = true;
        break;
      }
      yield line as T;
    }
  }
}
