import type { Installation } from './installation.ts';

/** An error makes the promise of the two containers untrue; a warning is for a person to weigh. */
type Level = 'error' | 'warning';

/** One thing that is wrong with rendered manifests. */
export interface Diagnostic {
  /** The rule that found it, such as `token-only-in-proxy`. */
  readonly rule: string;
  readonly level: Level;
  /** `Kind/name` of the object that has to be changed. */
  readonly object: string;
  /** The field in it, with containers and volumes by their names: `containers[proxy].args[0]`. */
  readonly path: string;
  /** Where, what is wrong, why that matters, and what to do; one line. */
  readonly message: string;
}

/** What a rule says about one field; `lint` makes a diagnostic of it. */
export interface Problem {
  /** Default `error`. */
  readonly level?: Level;
  /** Left out for the workload itself. */
  readonly object?: string;
  readonly path: string;
  readonly wrong: string;
  readonly why: string;
  readonly todo: string;
}

/** One promise about an operator in its Pod. */
export interface Rule {
  readonly id: string;
  check(installation: Installation): readonly Problem[];
}
