import type { HookConfig, KubernetesBinding, WatchEventType } from '../hook.ts';
import { Fields, type Item, wordOf } from './fields.ts';
import { kindOf } from './kubernetes-binding.ts';
import { scheduleOfV0 } from './schedule-binding.ts';
import { labelsOf } from './selectors.ts';

/**
 * Parses an answer without `configVersion`.
 *
 * @throws ConfigurationError `CONFIG` in the same cases as `parseConfig`.
 */
export function parseV0(item: Item): HookConfig {
  const fields = new Fields(item, ['onStartup', 'schedule', 'onKubernetesEvent']);
  const onStartup = fields.integer('onStartup');
  return {
    version: 'v0',
    ...(onStartup !== undefined && { onStartup }),
    schedules: (fields.list('schedule') ?? []).map(scheduleOfV0),
    kubernetes: (fields.list('onKubernetesEvent') ?? []).map(kubernetesOfV0),
    admission: [],
    conversions: [],
  };
}

const FIELDS = [
  'name',
  'kind',
  'event',
  'selector',
  'objectName',
  'namespaceSelector',
  'jqFilter',
  'allowFailure',
  'disableDebug',
];

const EVENTS = ['add', 'update', 'delete'] as const;

const EVENT_OF: Readonly<Record<(typeof EVENTS)[number], WatchEventType>> = {
  add: 'Added',
  update: 'Modified',
  delete: 'Deleted',
};

/**
 * Reads one item of `onKubernetesEvent`. Version v0 has no Synchronization: objects that already
 * exist at startup cause no run.
 */
function kubernetesOfV0(item: Item): KubernetesBinding {
  const fields = new Fields(item, FIELDS);
  fields.flag('disableDebug', false);
  const words = fields.list('event', 'a list such as [add, delete]');
  const events = words?.map((word) => wordOf(word, EVENTS)) ?? EVENTS;
  const name = fields.text('objectName');
  const selector = fields.item('selector');
  const jqFilter = fields.text('jqFilter');
  return {
    name: fields.text('name') ?? 'onKubernetesEvent',
    ...kindOf(fields),
    queue: 'main',
    allowFailure: fields.flag('allowFailure', false),
    includeSnapshotsFrom: [],
    events: new Set(events.map((event) => EVENT_OF[event])),
    runsOnSynchronization: false,
    waitsForSynchronization: true,
    keepsFullObjects: true,
    ...(name !== undefined && { names: [name] }),
    ...(selector !== undefined && { labelSelector: labelsOf(selector) }),
    ...namespacesOf(fields.item('namespaceSelector')),
    ...(jqFilter !== undefined && { jqFilter }),
  };
}

function namespacesOf(item: Item | undefined): Pick<KubernetesBinding, 'namespaces'> {
  if (item === undefined) return {};
  const fields = new Fields(item, ['matchNames', 'any']);
  const isAny = fields.flag('any', false);
  const names = fields.texts('matchNames') ?? [];
  return isAny || names.length === 0 ? {} : { namespaces: { names } };
}
