import { isDnsLabel } from 'chancery/internal';
import type { KubernetesBinding, WatchEventType } from '../hook.ts';
import { Fields, type Item, refuse, wordOf } from './fields.ts';
import { fieldTermsOf, labelsOf, namesOf } from './selectors.ts';
import { type Drafted, snapshotUseOf } from './snapshots.ts';

const FIELDS = [
  'name',
  'kind',
  'apiVersion',
  'executeHookOnEvent',
  'watchEvent',
  'executeHookOnSynchronization',
  'waitForSynchronization',
  'keepFullObjectsInMemory',
  'resynchronizationPeriod',
  'nameSelector',
  'labelSelector',
  'fieldSelector',
  'namespace',
  'jqFilter',
  'allowFailure',
  'includeSnapshotsFrom',
  'queue',
  'group',
];

const EVENTS = ['Added', 'Modified', 'Deleted'] as const satisfies readonly WatchEventType[];

/** Reads one item of `kubernetes`. */
export function kubernetesOf(item: Item): Drafted<KubernetesBinding> {
  const fields = new Fields(item, FIELDS);
  const queue = fields.text('queue');
  const waits = fields.flag('waitForSynchronization', true);
  const resyncPeriodMs = resyncPeriodOf(fields);
  const jqFilter = fields.text('jqFilter');
  const binding = {
    name: fields.text('name') ?? 'kubernetes',
    ...kindOf(fields),
    queue: queue ?? 'main',
    allowFailure: fields.flag('allowFailure', false),
    events: eventsOf(fields),
    runsOnSynchronization: fields.flag('executeHookOnSynchronization', true),
    waitsForSynchronization: waits || queue === undefined,
    keepsFullObjects: fields.flag('keepFullObjectsInMemory', true),
    ...(resyncPeriodMs !== undefined && { resyncPeriodMs }),
    ...selectionOf(fields),
    ...(jqFilter !== undefined && { jqFilter }),
    ...snapshotUseOf(fields),
  };
  return { binding, path: item.path };
}

/** Matches a kind, a plural or a short name. A path, or a name with a group, does not match. */
const KIND = /^[A-Za-z][A-Za-z0-9-]{0,62}$/;

/** Matches an apiVersion such as `v1` or `apps/v1`. */
const API_VERSION = /^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?\/)?[a-z][a-z0-9]*$/;

/** Reads `kind` and `apiVersion`. */
export function kindOf(fields: Fields): Pick<KubernetesBinding, 'kind' | 'apiVersion'> {
  const kind = fields.requiredText('kind');
  if (!KIND.test(kind)) {
    refuse(fields.pathOf('kind'), 'expected a kind such as Pod, with its group in apiVersion');
  }
  const apiVersion = fields.text('apiVersion');
  if (apiVersion === undefined) return { kind };
  if (API_VERSION.test(apiVersion)) return { kind, apiVersion };
  return refuse(fields.pathOf('apiVersion'), 'expected a version such as v1 or apps/v1');
}

function eventsOf(fields: Fields): ReadonlySet<WatchEventType> {
  const read = (name: string): readonly WatchEventType[] | undefined =>
    fields.list(name, 'a list such as [Added, Deleted]')?.map((word) => wordOf(word, EVENTS));
  const older = read('watchEvent');
  return new Set(read('executeHookOnEvent') ?? older ?? EVENTS);
}

const MIN_RESYNC_PERIOD_MS = 1_000;

function resyncPeriodOf(fields: Fields): number | undefined {
  const ms = fields.duration('resynchronizationPeriod');
  if (ms === undefined || ms >= MIN_RESYNC_PERIOD_MS) return ms;
  return refuse(fields.pathOf('resynchronizationPeriod'), 'expected 1s or more');
}

type Selection = Pick<
  KubernetesBinding,
  'names' | 'labelSelector' | 'fieldSelector' | 'namespaces'
>;

function selectionOf(fields: Fields): Selection {
  const nameSelector = fields.item('nameSelector');
  const labelSelector = fields.item('labelSelector');
  const fieldSelector = fields.item('fieldSelector');
  const namespace = fields.item('namespace');
  const terms = fieldSelector === undefined ? undefined : fieldTermsOf(fieldSelector);
  if (terms?.selectsName && nameSelector !== undefined) {
    refuse(fields.pathOf('fieldSelector'), 'metadata.name cannot be combined with nameSelector');
  }
  return {
    ...(nameSelector !== undefined && { names: namesOf(nameSelector) }),
    ...(labelSelector !== undefined && { labelSelector: labelsOf(labelSelector) }),
    ...(terms !== undefined && terms.text !== '' && { fieldSelector: terms.text }),
    ...(namespace !== undefined && namespacesOf(namespace)),
  };
}

function namespacesOf(item: Item): Pick<KubernetesBinding, 'namespaces'> {
  const form = 'a mapping such as {nameSelector: {matchNames: [a, b]}}';
  const fields = new Fields(item, ['nameSelector', 'labelSelector'], form);
  const nameSelector = fields.item('nameSelector');
  const labelSelector = fields.item('labelSelector');
  if (nameSelector === undefined && labelSelector === undefined) return {};
  const names = nameSelector === undefined ? undefined : namesOf(nameSelector);
  const wrong = names?.find((name) => !isDnsLabel(name));
  if (wrong !== undefined) {
    refuse(
      `${item.path}.nameSelector.matchNames`,
      `${JSON.stringify(wrong)} is no name of a namespace`,
    );
  }
  return {
    namespaces: {
      ...(names !== undefined && { names }),
      ...(labelSelector !== undefined && { labelSelector: labelsOf(labelSelector) }),
    },
  };
}
