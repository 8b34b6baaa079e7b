import type { Placement } from '../../access/placement.ts';
import type { ManifestFile } from '../../generate/manifests/manifest-file.ts';

/** Rules about everybody but the operator: the words of `--guard`. */
export type Guard = 'children' | 'names' | 'deletion';

/** What policies of an operator are made of, besides its declarations. */
export interface PoliciesOptions extends Placement {
  /** The name of the operator, with which the names of the policies begin. */
  readonly name: string;
  /** The ServiceAccount of its Pod. */
  readonly serviceAccount: { readonly name: string; readonly namespace: string };
  /** Default: none. */
  readonly guards?: readonly Guard[];
  /** True: bindings warn, and refuse nothing. Default false. */
  readonly warns?: boolean;
}

/** The files of all policies. */
export interface PolicyFiles {
  readonly files: readonly ManifestFile[];
  /** Writes of which no policy knows more than RBAC, one line each. */
  readonly leftOut: readonly string[];
}
