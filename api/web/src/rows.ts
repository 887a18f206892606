/** A Row is a visible item of a tree that is shown as a flat list. */
export type Row<T> = {
  key: string; // stays the same while the tree changes elsewhere
  level: number; // from 1
  position: number; // among its siblings, from 1
  siblings: number;
  expandable: boolean;
  expanded: boolean;
  value: T;
};
