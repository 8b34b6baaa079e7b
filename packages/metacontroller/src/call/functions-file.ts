import type { ControllerSpec, HookName, HookVersion, ResourceReference } from '../spec.ts';

/** A program or a module that serves a hook. */
export interface FunctionEntry {
  readonly run:
    | { readonly exec: readonly [program: string, ...args: string[]] }
    | { readonly module: string; readonly export: string | undefined };
  readonly timeoutMs: number;
  /**
   * The hook version. If undefined, the version of the object's hook is used, or `v2` if the object
   * has no such hook.
   */
  readonly version: HookVersion | undefined;
  /** The folder of the file. It is the working directory of programs. */
  readonly folder: string;
}

/** The functions of one controller. */
export interface ControllerFunctions {
  readonly kind: ControllerSpec['kind'];
  readonly name: string;
  readonly hooks: Readonly<Partial<Record<HookName, FunctionEntry>>>;
  /** Resources that the customize hook may select. Rights are generated for them. */
  readonly related: readonly ResourceReference[];
}

/** The content of `--functions FILE`. */
export interface FunctionsFile {
  readonly controllers: readonly ControllerFunctions[];
  /** The functions of a controller. Undefined when the file has no entry for it. */
  functionsFor(kind: ControllerSpec['kind'], name: string): ControllerFunctions | undefined;
}
