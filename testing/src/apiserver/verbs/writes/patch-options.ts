import type { StoredObject } from '../../objects/stored-object.ts';
import type { WriteOptions } from '../../request/options.ts';

/** Options of a PATCH beside those of every write. */
export interface PatchOptions extends WriteOptions {
  readonly force: boolean;
  /** `fieldManager` itself, without the default that other writes take from the User-Agent. */
  readonly fieldManager: string;
}

export interface Patched {
  readonly object: StoredObject;
  /** True when an apply has created the object. */
  readonly created: boolean;
}
