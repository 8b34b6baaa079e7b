import type { AccessDeclaration } from '../../controller/access-declaration.ts';
import type { Log } from '../../controller/reconciler.ts';
import type { Clock } from '../../core/clock.ts';
import type { ManifestFile } from '../../generate/manifests/manifest-file.ts';
import type { ManifestsOptions } from '../../generate/manifests/manifests-options.ts';
import type { KnownKinds } from '../../model/known-kinds.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Webhook } from '../../webhook/webhook.ts';
import type { CERTIFICATES } from '../certificates/table.ts';
import type { CHECK } from '../check/table.ts';
import type { ExitCode, Io } from '../command.ts';
import type { Generating } from '../declarations/declaring.ts';
import type { GenerateArguments } from '../generate/arguments.ts';
import type { PoliciesOptions, PolicyFiles } from '../generate/policies.ts';
import type { GENERATE } from '../generate/table.ts';
import type { FileState } from '../generate/written-files.ts';
import type { HOOKS } from '../hooks/table.ts';
import type { METACONTROLLER } from '../metacontroller/table.ts';
import type { PLUGIN } from '../plugin/table.ts';
import type { RunOf } from '../table-command.ts';
import type { TestHookArguments } from '../test-hook/arguments.ts';

/** `@chancery/certificates/command`: the exports that commands use. */
export interface CertificatesPackage {
  readonly certificates: RunOf<typeof CERTIFICATES>;
}

/** `@chancery/hooks/command`: the exports that commands use. */
export interface HooksPackage {
  readonly hooks: RunOf<typeof HOOKS>;
  /** The declarations of the hooks in a folder, see `chancery generate --hooks`. */
  declaredHooks(dir: string, crds: readonly string[] | undefined, io: Io): Promise<DeclaredHooks>;
  /** Starts one hook with a sample, and checks its results. */
  testHook(sample: unknown, parts: TestHookParts): Promise<ExitCode>;
}

/** `@chancery/metacontroller/command`: the exports that commands use. */
export interface MetacontrollerPackage {
  readonly metacontroller: RunOf<typeof METACONTROLLER>;
  /** The declarations of controllers in files, see `chancery generate --from-metacontroller`. */
  declaredControllers(files: ControllerFiles, io: Pick<Io, 'stdin'>): Promise<DeclaredControllers>;
  /** Calls a function with a recorded request, and reports the effects of its answer. */
  testFunction(sample: Readonly<Record<string, unknown>>, parts: TestHookParts): Promise<ExitCode>;
}

/** `@chancery/packaging/command`: the exports that commands use. */
export interface PackagingPackage {
  readonly plugin: RunOf<typeof PLUGIN>;
  /** `chancery check bundle` and `chancery check crd`. */
  readonly checkBundle: RunOf<typeof CHECK>;
  readonly checkCrd: RunOf<typeof CHECK>;
  /** `chancery generate catalog`. */
  readonly generateCatalog: RunOf<typeof GENERATE>;
  /** The files of a chart or a bundle. */
  packageFiles(
    what: 'chart' | 'bundle',
    declared: readonly Generating[],
    args: GenerateArguments,
    manifests: ManifestsOptions,
    io: Pick<Io, 'stdin'>,
  ): Promise<readonly ManifestFile[]>;
  /** `chancery generate policies`: `RULE.yaml` and `RULE-binding.yaml`. */
  policyFiles(
    declared: readonly Generating[],
    options: PoliciesOptions & { readonly command: string },
  ): Promise<PolicyFiles>;
  /** The same policies as objects: each policy is followed by its binding. */
  policyObjects(
    declared: readonly Generating[],
    options: PoliciesOptions,
  ): Promise<readonly KubernetesObject[]>;
  /** Compares the folder `output` with the generated files. */
  packageStates(
    what: 'chart' | 'bundle',
    output: string,
    files: readonly ManifestFile[],
  ): Promise<readonly FileState[]>;
}

/** The objects that `chancery test-hook` passes to a test. */
export interface TestHookParts {
  readonly asked: TestHookArguments;
  readonly known: KnownKinds;
  readonly clock: Clock;
  readonly io: Io;
  /** Receives the output of the hook or the function. */
  readonly log: Log;
}

/** The access that all hooks in a folder need together. */
export interface DeclaredHooks extends AccessDeclaration {
  readonly needsLeaderElection: boolean;
  /** The webhooks that hooks answer. */
  readonly webhooks: readonly Webhook[];
  /** Advice about the configurations, one line each. */
  readonly hints: readonly string[];
}

/** Files that declare controllers. */
export interface ControllerFiles {
  /**
   * Files or folders; `-` for standard input. Definitions in them are used. Objects of other kinds
   * are skipped.
   */
  readonly files: readonly string[];
  readonly functions: string | undefined;
  /** Additional files or folders with definitions. */
  readonly crds: readonly string[];
  /** Additional arguments of `chancery metacontroller`. */
  readonly args: readonly string[];
}

/** The access that the controllers in files need. */
export interface DeclaredControllers {
  readonly declarations: readonly AccessDeclaration[];
  /** Advice about the controllers, one line each. */
  readonly hints: readonly string[];
  /** False when the arguments turn the election off. */
  readonly elects: boolean;
}
