// The data of a report, which inroad report writes into the file.
import type { Schemas } from "../api.svelte";

export type Data = {
  version: string;
  model: Schemas["Model"];
  grammar: Schemas["Grammar"];
  methods: Schemas["Method"][];
  explanations: Schemas["Explanation"][]; // in the order of the methods
  evaluation?: Schemas["Evaluation"]; // of the observations, if they were given
  failures?: Schemas["ProgramFailureList"]; // all of them
  licences: string;
};

/** Returns the data in the document: JSON that is compressed with gzip and encoded with Base64. */
export async function read(): Promise<Data> {
  const text = document.getElementById("data")?.textContent ?? "";
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return (await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json()) as Data;
}

/** Returns a page of the failures, as the query of a request asks for it. */
function failures(all: Schemas["ProgramFailureList"], query: URLSearchParams): Schemas["ProgramFailureList"] {
  const outcomes = query.getAll("outcome");
  const found = all.failures.filter((f) => outcomes.length === 0 || outcomes.includes(f.outcome));
  const from = Number(query.get("cursor"));
  const to = from + (Number(query.get("limit")) || found.length);
  return { ...all, distinct: found.length, failures: found.slice(from, to), next: to < found.length ? String(to) : undefined };
}

/** Returns a function that answers requests for the model and its program as the service would. */
export function answers(data: Data): (request: Request) => Promise<Response> {
  const model = `/v1/models/${encodeURIComponent(data.model.id)}`;
  const known = new Map<string, (query: URLSearchParams) => unknown>([
    [model, () => data.model],
    [`${model}/methods`, () => ({ total: data.methods.length, methods: data.methods })],
  ]);
  for (const x of data.explanations) known.set(`${model}/methods/${encodeURIComponent(x.method ?? "")}`, () => x);
  const all = data.failures;
  if (all) known.set(`/v1/subjects/${encodeURIComponent(all.subject)}/failures`, (query) => failures(all, query));
  return async (request) => {
    const url = new URL(request.url);
    const answer = known.get(url.pathname);
    return answer ? Response.json(answer(url.searchParams)) : Response.json({ detail: "The report does not have this." }, { status: 404 });
  };
}
