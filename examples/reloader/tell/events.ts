import { messageOf } from 'chancery';
import type { ResourceType } from '../contract/resource-type.ts';
import type { Change } from '../record/plan-types.ts';
import type { Regarding, ReloadObserver } from './observer.ts';
import { reloadedText } from './reloaded-text.ts';

/** The components that the original names in its Events: one for each type of resource. */
const REPORTERS: Readonly<Record<ResourceType, string>> = {
  CONFIGMAP: 'reloader-configmaps',
  SECRET: 'reloader-secrets',
  SECRETPROVIDERCLASS: 'reloader-secretproviderclasspodstatuses',
};

/**
 * Events on the workload: `Reloaded` and `ReloadFail` in the words of the original, one for each resource, and
 * three of our own. Texts of an API server are in them only as `ApiError` shows them, without quoted values.
 */
export const eventObserver: ReloadObserver = {
  restarted(about, changes) {
    for (const change of changes)
      record(about, 'Normal', 'Reloaded', reloaded(about, change), change.type);
  },
  failed(about, changes, error) {
    const types = new Set(changes.map(({ type }) => type));
    const note = `Failed to reload ${nameOf(about)}: ${messageOf(error)}`;
    for (const type of types) record(about, 'Warning', 'ReloadFail', note, type);
  },
  invalid(about, { annotation, message }) {
    record(about, 'Warning', 'ReloadConfigInvalid', `${annotation}: ${message}`);
  },
  pending(about, reason, note) {
    if (reason !== undefined && note !== undefined) record(about, 'Normal', 'ReloadPending', note);
  },
  reverted(about, times) {
    const note = `Another manager has removed the recorded hashes ${times} times in a row: they are kept in memory, and written less often`;
    record(about, 'Warning', 'ReloadBaselineRemoved', note);
  },
};

function reloaded(about: Regarding, change: Change): string {
  const why = about.context.dryRun ? ` (dry run; rule: ${change.rule})` : '';
  return `${reloadedText(change, about, "'")}${why}`;
}

function nameOf({ kind, namespace, name }: Regarding): string {
  return `'${name}' of type '${kind}' in namespace '${namespace}'`;
}

function record(
  { workload, context }: Regarding,
  type: 'Normal' | 'Warning',
  reason: string,
  note: string,
  about: ResourceType = 'CONFIGMAP',
): void {
  const reporter = REPORTERS[about];
  context.events.record({ regarding: workload, type, reason, note, action: 'Reload', reporter });
}
