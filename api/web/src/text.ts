// Conversions of texts and numbers.

/** Returns a function from offsets in the UTF-8 encoding of a text to offsets in the text. */
export function utf16Offsets(text: string): (byte: number) => number {
  // eslint-disable-next-line no-control-regex
  if (/^[\x00-\x7f]*$/.test(text)) return (byte) => Math.min(byte, text.length);
  const offsets: number[] = [];
  let at = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (let i = 0; i < bytes; i++) offsets.push(at);
    at += character.length;
  }
  return (byte) => offsets[byte] ?? text.length;
}

const controls: Record<string, string> = { "\n": "↵", "\r": "␍", "\t": "⇥" };

/** Returns a text on one line, with visible control characters. */
export const oneLine = (text: string): string =>
  // eslint-disable-next-line no-control-regex
  text.replace(/[\x00-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (c) => controls[c] ?? (c < " " ? String.fromCharCode(0x2400 + c.charCodeAt(0)) : "\ufffd"));

/** Returns the beginning of a text. */
export const excerpt = (text: string, length = 200): string => (text.length > length ? text.slice(0, length) + "…" : text);

/** Returns a share as a percentage; only exact shares are 0 % and 100 %. */
export function percent(share: number): string {
  if (share > 0 && share < 0.001) return "<0.1\u00a0%";
  if (share < 1 && share > 0.999) return ">99.9\u00a0%";
  const digits = share < 0.1 || share > 0.9 ? 1 : 0;
  return (share * 100).toFixed(digits).replace(/\.0$/, "") + "\u00a0%";
}

/** Returns a weight with its sign. */
export const signed = (weight: number): string => (weight < 0 ? "−" : "+") + Math.abs(weight).toFixed(2);

/** Returns a number with its noun, which is in the singular: 1 class, 2 classes. */
export const count = (n: number, noun: string): string => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : noun.endsWith("s") ? "es" : "s"}`;

/** Returns the bytes of an answer as text; bytes that are not UTF-8 become U+FFFD. */
export function inputText(answer: { input?: string; input_base64?: string }): string {
  if (answer.input !== undefined) return answer.input;
  const bytes = Uint8Array.from(atob(answer.input_base64 ?? ""), (c) => c.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

/** Splits the ID of a method into its file and its name. */
export function splitID(id: string): { file: string; name: string } {
  const at = id.indexOf("#");
  return at < 0 ? { file: "", name: id } : { file: id.slice(0, at), name: id.slice(at + 1) };
}
