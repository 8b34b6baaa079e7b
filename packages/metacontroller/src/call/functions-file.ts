import type { ControllerSpec, HookName, HookVersion, ResourceReference } from '../spec.ts';

/** A program or a module that serves a hook. */
export interface FunctionEntry {
  readonly run:
    | { readonly exec: readonly [program: string, ...args: string[]] }
    | { readonly module: string; readonly export: string | undefined };
  readonly timeoutMs: number;
  /** Undefined: that of the object's hook, or `v2` when it has none. */
  readonly version: HookVersion | undefined;
  /** The folder of the file. Programs run in it. */
  readonly folder: string;
}

/** The functions of one controller. */
export interface ControllerFunctions {
  readonly kind: ControllerSpec['kind'];
  readonly name: string;
  readonly hooks: Readonly<Partial<Record<HookName, FunctionEntry>>>;
  /** Resources that its customize hook may name; rights are generated for them. */
  readonly related: readonly ResourceReference[];
}

/** What `--functions FILE` says. */
export interface FunctionsFile {
  readonly controllers: readonly ControllerFunctions[];
  /** Undefined: the file says nothing of this controller. */
  functionsFor(kind: ControllerSpec['kind'], name: string): ControllerFunctions | undefined;
}
