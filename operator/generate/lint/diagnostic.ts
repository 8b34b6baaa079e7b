import type { Installation } from './installation.ts';

/**
 * `error`: the problem breaks the isolation of the two containers. `warning`: a person has to
 * decide.
 */
type Level = 'error' | 'warning';

/** One problem in rendered manifests. */
export interface Diagnostic {
  /** The rule that found the problem, such as `token-only-in-proxy`. */
  readonly rule: string;
  readonly level: Level;
  /** `Kind/name` of the object that has to be changed. */
  readonly object: string;
  /**
   * The field in the object. Containers and volumes are identified by their names, and not by their
   * indices: `containers[proxy].args[0]`.
   */
  readonly path: string;
  /** The place, the problem, its reason, and the correction, in one line. */
  readonly message: string;
}

/** A problem of one field, as it is reported by a rule. `lint` turns it into a diagnostic. */
export interface Problem {
  /** How serious the problem is. Default `error`. */
  readonly level?: Level;
  /** The object with the problem. Default: the workload. */
  readonly object?: string;
  readonly path: string;
  readonly wrong: string;
  readonly why: string;
  readonly todo: string;
}

/** A check of an operator in its Pod. */
export interface Rule {
  readonly id: string;
  check(installation: Installation): readonly Problem[];
}
