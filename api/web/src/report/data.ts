// The data of a report, which inroad report writes into the file.
import type { Schemas } from "../api.svelte";

/** A Failure stands for the observations that failed in the same way, as in inroad failures --format json. */
export type Failure = {
  count: number;
  outcome: string;
  type?: string;
  message?: string;
  stack?: string;
  name?: string; // of the example
  example: Schemas["Example"]; // the smallest input
};

export type Data = {
  version: string;
  model: Schemas["Model"];
  grammar: Schemas["Grammar"];
  methods: Schemas["Method"][];
  explanations: Schemas["Explanation"][]; // in the order of the methods
  evaluation?: Schemas["Evaluation"]; // of the observations, if they were given
  failures?: Failure[];
  licences: string;
};

/** Returns the data in the document: JSON that is compressed with gzip and encoded with Base64. */
export async function read(): Promise<Data> {
  const text = document.getElementById("data")?.textContent ?? "";
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return (await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json()) as Data;
}

/** Returns a function that answers requests for the model as the service would. */
export function answers(data: Data): (request: Request) => Promise<Response> {
  const model = `/v1/models/${encodeURIComponent(data.model.id)}`;
  const known = new Map<string, () => unknown>([
    [model, () => data.model],
    [`${model}/methods`, () => ({ total: data.methods.length, methods: data.methods })],
    [`/v1/grammars/${encodeURIComponent(data.model.grammar)}`, () => data.grammar],
  ]);
  for (const x of data.explanations) known.set(`${model}/methods/${encodeURIComponent(x.method ?? "")}`, () => x);
  return async (request) => {
    const answer = known.get(new URL(request.url).pathname);
    return answer ? Response.json(answer()) : Response.json({ detail: "The report does not have this." }, { status: 404 });
  };
}
