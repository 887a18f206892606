// Server-sent events. They are read with fetch, because EventSource cannot send a key.
import { ask, client, isCancelled, type Schemas } from "./api.svelte";

/** Yields the data of the events of a stream. */
export async function* events<T>(body: ReadableStream<Uint8Array>): AsyncGenerator<T> {
  const reader = body.pipeThrough(new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>).getReader();
  try {
    for (let rest = ""; ; ) {
      const { value, done } = await reader.read();
      if (done) return;
      const parts = (rest + value).split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const data = part
          .split("\n")
          .filter((line) => line.startsWith("data:"))
          .map((line) => line.slice(5))
          .join("\n");
        if (data) yield JSON.parse(data) as T;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined); // the stream may have failed already
  }
}

const delay = 1000; // milliseconds before a stream that broke off is followed again
const attempts = 30; // without an event

/** Yields the states that a stream reports until an end state. A stream that breaks off is followed again. */
export async function* follow<T>(open: () => Promise<ReadableStream<Uint8Array>>, ended: (state: T) => boolean, signal: AbortSignal): AsyncGenerator<T> {
  for (let failed = 0; ; failed++) {
    try {
      for await (const state of events<T>(await open())) {
        yield state;
        if (ended(state)) return;
        failed = 0;
      }
    } catch (error) {
      if (isCancelled(error) || !(error instanceof TypeError) || failed === attempts) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, delay));
    signal.throwIfAborted();
  }
}

/** Yields the states of a job until it has ended. */
export function followJob(job: number, signal: AbortSignal): AsyncGenerator<Schemas["Job"]> {
  const open = async (): Promise<ReadableStream<Uint8Array>> => {
    const send = () => client.GET("/v1/jobs/{job}/events", { params: { path: { job } }, parseAs: "stream", signal });
    return (await ask(send, signal)) as unknown as ReadableStream<Uint8Array>;
  };
  return follow(open, (j) => j.state !== "queued" && j.state !== "running", signal);
}
