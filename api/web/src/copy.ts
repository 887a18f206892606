// Copying and saving of inputs.

/** An input as the service sends it. */
export type Bytes = { input?: string; input_base64?: string };

/** Copies a text to the clipboard, and reports whether it was copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Browsers have no clipboard for pages of other machines without HTTPS.
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    return copied;
  }
}

/** Saves an input as a file, byte for byte. */
export function save(input: Bytes, name: string): void {
  const content = input.input ?? Uint8Array.from(atob(input.input_base64 ?? ""), (c) => c.charCodeAt(0));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
