// The address after # names the screen: its parts are percent-encoded and separated by slashes.
export const route = $state({ parts: read() });

function read(): string[] {
  const parts = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean);
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return [];
  }
}

addEventListener("hashchange", () => {
  route.parts = read();
});

/** Returns the address of a screen. */
export const to = (...parts: string[]): string => "#/" + parts.map(encodeURIComponent).join("/");

/** An input that another screen opens in Explore, with the method to explain. */
export const handover = { input: undefined as string | undefined, method: "" };

/** Opens an input in Explore. */
export function explore(model: string, input: string, method = ""): void {
  handover.input = input;
  handover.method = method;
  location.hash = to("models", model);
}
