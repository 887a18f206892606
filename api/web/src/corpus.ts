// Inputs of a corpus: files, or observations of a program.
import type { Schemas } from "./api.svelte";
import { stream } from "./api.svelte";

export type Item = Schemas["Input"] & { name: string };

/** A Corpus has at most as many inputs and bytes as one request may have. */
export type Corpus = { items: Item[]; left: number; from: string };

const maxItems = 10_000;
const maxBytes = 8 << 20;

function itemOf(name: string, bytes: Uint8Array): Item {
  try {
    return { name, input: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    const chunk = 0x8000; // the number of arguments of a call is limited
    let text = "";
    for (let i = 0; i < bytes.length; i += chunk) text += String.fromCharCode(...bytes.subarray(i, i + chunk));
    return { name, input_base64: btoa(text) };
  }
}

/** Reads files. Files beyond the limits of a corpus are left out. */
export async function readFiles(files: File[]): Promise<Corpus> {
  const items: Item[] = [];
  let bytes = 0;
  let left = 0;
  for (const file of files) {
    if (items.length === maxItems || bytes + file.size > maxBytes) {
      left++;
      continue;
    }
    bytes += file.size;
    items.push(itemOf(file.webkitRelativePath || file.name, new Uint8Array(await file.arrayBuffer())));
  }
  return { items, left, from: "files" };
}

/** Reads the inputs of the observations of a program, each input once. Observations beyond the limits of a corpus are left out. */
export async function readObservations(subject: string, commit: string, signal: AbortSignal): Promise<Corpus> {
  const items: Item[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  let left = 0;
  const path = `/v1/subjects/${encodeURIComponent(subject)}/observations?commit=${encodeURIComponent(commit)}`;
  for await (const line of stream<Schemas["Input"] & { name?: string }>(path, undefined, signal)) {
    const text = line.input ?? line.input_base64;
    if (text === undefined || seen.has(text)) continue;
    seen.add(text);
    if (items.length === maxItems || bytes + text.length > maxBytes) {
      left++;
      continue;
    }
    bytes += text.length;
    const name = line.name || `observation ${seen.size}`;
    items.push(line.input === undefined ? { name, input_base64: text } : { name, input: text });
  }
  return { items, left, from: `observations of ${subject}` };
}
