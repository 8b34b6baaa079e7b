import type { Bundle } from './bundle.ts';

/** An error makes OLM or a catalog refuse the bundle; a warning needs a person to decide. */
type Level = 'error' | 'warning';

/** One problem of a bundle. */
export interface BundleFinding {
  /** The rule that found it, such as `owned-definitions`. */
  readonly rule: string;
  readonly level: Level;
  /** The file that has to be changed, relative to the folder of the bundle. */
  readonly file: string;
  /** The field in it, such as `spec.installModes`. Empty for the whole file. */
  readonly path: string;
  /** What is wrong, why that matters, and what to do, on one line. */
  readonly message: string;
}

/** A problem as a rule reports it. */
export interface BundleProblem {
  /** Default `error`. */
  readonly level?: Level;
  /** Default: the file of the ClusterServiceVersion. */
  readonly file?: string;
  readonly path: string;
  /** What is wrong and why that matters. */
  readonly wrong: string;
  readonly todo: string;
}

/** What decides about a bundle and is not in it. */
export interface BundleCheckOptions {
  /** The Kubernetes for which removed APIs are errors: `1.30` or `1.30.0`. Default: `spec.minKubeVersion`. */
  readonly k8sVersion?: string | undefined;
  /** Categories of the catalog. Default: those of OperatorHub. */
  readonly categories?: readonly string[] | undefined;
  /** Leave out what only OLM v1 refuses: the bundle is for OLM v0. Default: false. */
  readonly olmV0Only?: boolean | undefined;
  /** What an API server would say about a CustomResourceDefinition. Left out: nothing asks one. */
  readonly definitionProblems?: ((definition: object) => readonly string[]) | undefined;
}

/** A check of a bundle. */
export interface BundleRule {
  readonly id: string;
  check(bundle: Bundle, options: BundleCheckOptions): readonly BundleProblem[];
}
