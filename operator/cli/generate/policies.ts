import type { Placement } from '../../access/placement.ts';
import type { ManifestFile } from '../../generate/manifests/manifest-file.ts';

/** The values of `--guard`. Each stands for a rule about all writers except the operator. */
export type Guard = 'children' | 'names' | 'deletion';

/**
 * The options from which the policies of an operator are generated, in addition to its
 * declarations.
 */
export interface PoliciesOptions extends Placement {
  /** The name of the operator. The names of the policies begin with it. */
  readonly name: string;
  /** The ServiceAccount of the operator's Pod. */
  readonly serviceAccount: { readonly name: string; readonly namespace: string };
  /** The rules of `--guard`. Default: none. */
  readonly guards?: readonly Guard[];
  /** True when bindings only warn, and refuse nothing. Default false. */
  readonly warns?: boolean;
}

/** The files of all policies. */
export interface PolicyFiles {
  readonly files: readonly ManifestFile[];
  /**
   * Writes that the policies do not check, because RBAC already checks them equally well. One line for each
   * kind of write.
   */
  readonly leftToRbac: readonly string[];
}
