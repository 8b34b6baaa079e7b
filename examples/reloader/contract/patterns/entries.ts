/** The value of an annotation with commas → its entries. Users write it: the work for it has a bound. */

/** Entries that are looked at, empty and repeated ones among them. An annotation of 256 KiB can have 130,000. */
export const MAX_LOOKED_AT = 16_384;

export interface Entries {
  /** Trimmed; none is empty, and each is there once. */
  readonly entries: ReadonlySet<string>;
  /** The value has more than `MAX_LOOKED_AT`, and the others do not count. */
  readonly isCut: boolean;
}

export function splitEntries(value: string): Entries {
  const written = value.split(',', MAX_LOOKED_AT + 1);
  const isCut = written.length > MAX_LOOKED_AT;
  const entries = new Set(written.slice(0, MAX_LOOKED_AT).map((entry) => entry.trim()));
  entries.delete('');
  return { entries, isCut };
}
