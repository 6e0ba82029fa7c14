// Resources of the contract between console and server that the committed OpenAPI document does not name yet.
//
// Each entry goes away with the commit that adds its resource to the document; build.mjs refuses one that is in both.

export {};

export type Value = string | number | boolean | null;

/** A list of the server in columns; numbers are numbers, null does not apply. */
export interface Rows {
  at: string;
  /** Rows that fit the filters. */
  total: number;
  /** Rows that the user may see. */
  known: number;
  offset: number;
  columns: string[];
  rows: Value[][];
}

declare module './operations.ts' {
  interface Operations {
  }
}
