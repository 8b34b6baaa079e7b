import type { Source } from 'chancery';
import type { Options } from './contract/options.ts';
import { WantedBy } from './read/wanted-by.ts';
import type { RestartGate } from './restart/gate.ts';
import { type NamespaceScope, namespaceScope } from './sources.ts';
import { observeAll, type ReloadObserver } from './tell/observer.ts';
import type { ResourceKind, WorkloadKind } from './workloads/kind.ts';

/** The exchangeable parts of the operator. */
export interface EngineParts {
  readonly options: Options;
  /** The kinds of workloads that are restarted; each has a controller of its own. */
  readonly workloads: readonly WorkloadKind[];
  /** The types of resources whose changes restart them. */
  readonly resources: readonly ResourceKind[];
  /** Asked in order before each restart. */
  readonly gates: readonly RestartGate[];
  /** Told of everything, in order. */
  readonly observers: readonly ReloadObserver[];
}

/** What the controllers of one process share. */
export interface Engine extends Omit<EngineParts, 'observers'> {
  readonly observer: Required<ReloadObserver>;
  readonly scope: NamespaceScope;
  readonly wantedBy: WantedBy;
}

export function createEngine({ observers, ...parts }: EngineParts): Engine {
  const { resources } = parts;
  return {
    ...parts,
    observer: observeAll(observers, warnOf),
    scope: namespaceScope(parts.options),
    wantedBy: new WantedBy((resource) => {
      const [type, namespace = '', name = ''] = resource.split('/');
      resources.find((each) => each.type === type)?.forget?.({ namespace, name });
    }),
  };
}

/** A bug of an observer. The class of the error alone is told: its text may quote what it was given. */
function warnOf(error: unknown): void {
  const thrown = error instanceof Error ? error.constructor.name : typeof error;
  process.emitWarning(`an observer of restarts threw ${thrown}`, 'ReloaderWarning');
}

/** Sources that the reconcilers of all kinds read, beside their own. */
export function sharedReads({ resources, scope }: Engine): readonly Source[] {
  return [...resources.flatMap(({ reads = [] }) => reads), ...scope.reads];
}
