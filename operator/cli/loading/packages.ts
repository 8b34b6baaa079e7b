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

/** `@chancery/certificates/command`: what commands need of the package. */
export interface CertificatesPackage {
  readonly certificates: RunOf<typeof CERTIFICATES>;
}

/** `@chancery/hooks/command`: what commands need of the package. */
export interface HooksPackage {
  readonly hooks: RunOf<typeof HOOKS>;
  /** Reads the hooks of a folder, see `chancery generate --hooks`. */
  declaredHooks(dir: string, crds: readonly string[] | undefined, io: Io): Promise<DeclaredHooks>;
  /** Starts one hook with a sample, and checks what it leaves. */
  testHook(sample: unknown, parts: TestHookParts): Promise<ExitCode>;
}

/** `@chancery/metacontroller/command`: what commands need of the package. */
export interface MetacontrollerPackage {
  readonly metacontroller: RunOf<typeof METACONTROLLER>;
  /** Reads controllers from files, see `chancery generate --from-metacontroller`. */
  declaredControllers(files: ControllerFiles, io: Pick<Io, 'stdin'>): Promise<DeclaredControllers>;
  /** Calls a function with a recorded request, and tells what its answer would do. */
  testFunction(sample: Readonly<Record<string, unknown>>, parts: TestHookParts): Promise<ExitCode>;
}

/** `@chancery/packaging/command`: what commands need of the package. */
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
  /** The same as objects: each policy, and then its binding. */
  policyObjects(
    declared: readonly Generating[],
    options: PoliciesOptions,
  ): Promise<readonly KubernetesObject[]>;
  /** Compares a folder with these files. */
  packageStates(
    what: 'chart' | 'bundle',
    output: string,
    files: readonly ManifestFile[],
  ): Promise<readonly FileState[]>;
}

/** What a sample is tested with. */
export interface TestHookParts {
  readonly asked: TestHookArguments;
  readonly known: KnownKinds;
  readonly clock: Clock;
  readonly io: Io;
  /** What the hook or the function writes, for people. */
  readonly log: Log;
}

/** What all hooks of a folder do at the API server. */
export interface DeclaredHooks extends AccessDeclaration {
  readonly needsLeaderElection: boolean;
  /** What hooks answer the API server. */
  readonly webhooks: readonly Webhook[];
  /** Advice about the configurations, one line each. */
  readonly hints: readonly string[];
}

/** Files that declare controllers. */
export interface ControllerFiles {
  /** Files or folders, `-` for standard input. Objects of other kinds are left out, but for definitions. */
  readonly files: readonly string[];
  readonly functions: string | undefined;
  /** More files or folders with definitions. */
  readonly crds: readonly string[];
  /** Further arguments of `chancery metacontroller`. */
  readonly args: readonly string[];
}

/** What the controllers of some files do at the API server. */
export interface DeclaredControllers {
  readonly declarations: readonly AccessDeclaration[];
  /** Advice about the controllers, one line each. */
  readonly hints: readonly string[];
  /** False: the arguments turn the election off. */
  readonly elects: boolean;
}
