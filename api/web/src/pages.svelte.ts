// Lists that are loaded page by page.
import { textOf } from "./api.svelte";

/** A Pages holds the pages of a list that were loaded. C is the type of the cursor. */
export class Pages<T, C> {
  items = $state.raw<T[]>([]);
  next = $state<C>();
  problem = $state("");

  constructor(private readonly load: (cursor?: C) => Promise<{ items: T[]; next?: C }>) {}

  /** Loads the first page, in place of all loaded pages. */
  async first(): Promise<void> {
    const page = await this.load();
    this.items = page.items;
    this.next = page.next;
  }

  /** Loads the next page. */
  async more(): Promise<void> {
    this.problem = "";
    const cursor = this.next;
    try {
      const page = await this.load(cursor);
      if (this.next !== cursor) return; // the page was loaded by another click, or the list was loaded again
      this.items = [...this.items, ...page.items];
      this.next = page.next;
    } catch (error) {
      this.problem = textOf(error);
    }
  }
}
