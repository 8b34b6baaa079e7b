import type { Bundle } from './bundle.ts';

/** `error`: OLM or a catalog refuses the bundle. `warning`: a person must decide. */
type Level = 'error' | 'warning';

/** One problem of a bundle. */
export interface BundleFinding {
  /** The rule that found the problem, such as `owned-definitions`. */
  readonly rule: string;
  readonly level: Level;
  /** The file that has to be changed, relative to the folder of the bundle. */
  readonly file: string;
  /** The field in the file, such as `spec.installModes`. Empty for the whole file. */
  readonly path: string;
  /** The problem, its consequence and its remedy, in one line. */
  readonly message: string;
}

/** A problem, in the format in which the rules report problems. */
export interface BundleProblem {
  /** The level of the problem. Default `error`. */
  readonly level?: Level;
  /** The file with the problem. Default: the file of the ClusterServiceVersion. */
  readonly file?: string;
  readonly path: string;
  /** The problem and its consequence. */
  readonly wrong: string;
  readonly todo: string;
}

/** Settings of a check that the bundle itself does not contain. */
export interface BundleCheckOptions {
  /**
   * The Kubernetes version for which removed APIs are errors, such as `1.30` or `1.30.0`.
   * `spec.minKubeVersion` is used instead if it is higher, or if `k8sVersion` is omitted.
   */
  readonly k8sVersion?: string | undefined;
  /** Categories of the catalog. Default: the categories of OperatorHub. */
  readonly categories?: readonly string[] | undefined;
  /** Skip the rules that only OLM v1 applies, because the bundle is for OLM v0. Default: false. */
  readonly olmV0Only?: boolean | undefined;
  /**
   * Returns the problems that an API server finds in a CustomResourceDefinition. If omitted,
   * definitions are not checked by a server.
   */
  readonly definitionProblems?: ((definition: object) => readonly string[]) | undefined;
}

/** A check of a bundle. */
export interface BundleRule {
  readonly id: string;
  check(bundle: Bundle, options: BundleCheckOptions): readonly BundleProblem[];
}
