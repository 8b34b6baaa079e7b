import { isDnsSubdomain } from 'chancery/internal';
import { Fields, type Item, refuse, wordOf } from './fields.ts';
import { labelsOf } from './selectors.ts';
import { type Drafted, snapshotUseOf } from './snapshots.ts';

/** A binding that is checked and not kept. */
type Checked = Drafted<ReturnType<typeof snapshotUseOf>>;

const WEBHOOK_FIELDS = [
  'name',
  'rules',
  'labelSelector',
  'namespace',
  'failurePolicy',
  'sideEffects',
  'timeoutSeconds',
  'matchConditions',
  'includeSnapshotsFrom',
  'group',
];

/** Reads one item of `kubernetesValidating` or `kubernetesMutating`. */
export function webhookOf(item: Item): Checked {
  const fields = new Fields(item, WEBHOOK_FIELDS);
  const name = fields.requiredText('name');
  if (!isDnsSubdomain(name) || name.split('.').length < 3) {
    refuse(
      fields.pathOf('name'),
      'expected at least three segments with dots, such as pods.example.com',
    );
  }
  const rules =
    fields.list('rules') ?? refuse(fields.pathOf('rules'), 'is required, and is not given');
  if (rules.length === 0)
    refuse(fields.pathOf('rules'), 'expected at least one, got an empty list');
  for (const rule of rules) checkRule(rule);
  checkSelectors(fields);
  fields.oneOf('failurePolicy', ['Fail', 'Ignore']);
  fields.oneOf('sideEffects', ['None', 'NoneOnDryRun']);
  fields.integer('timeoutSeconds', { min: 1, max: 30 });
  for (const condition of fields.list('matchConditions') ?? []) {
    const part = new Fields(condition, ['name', 'expression']);
    part.requiredText('name');
    part.requiredText('expression');
  }
  return { binding: snapshotUseOf(fields), path: item.path };
}

function checkRule(item: Item): void {
  const names = ['apiGroups', 'apiVersions', 'resources', 'operations', 'scope'];
  const fields = new Fields(item, names);
  const groups = fields.list('apiGroups', 'a list such as ["", apps]');
  if (groups === undefined || groups.length === 0) {
    refuse(fields.pathOf('apiGroups'), 'expected at least one; the core group is ""');
  }
  for (const group of groups) {
    if (typeof group.value !== 'string') refuse(group.path, 'expected a string');
  }
  fields.requiredTexts('apiVersions');
  fields.requiredTexts('resources');
  fields.requiredTexts('operations');
  for (const operation of fields.list('operations') ?? []) {
    wordOf(operation, ['CREATE', 'UPDATE', 'DELETE', 'CONNECT', '*']);
  }
  fields.oneOf('scope', ['Cluster', 'Namespaced', '*']);
}

function checkSelectors(fields: Fields): void {
  const labels = fields.item('labelSelector');
  if (labels !== undefined) labelsOf(labels);
  const namespace = fields.item('namespace');
  if (namespace === undefined) return;
  const form = 'a mapping such as {labelSelector: {matchLabels: {app: web}}}';
  const namespaceLabels = new Fields(namespace, ['labelSelector'], form).item('labelSelector');
  if (namespaceLabels !== undefined) labelsOf(namespaceLabels);
}

/** `v1`, `v1beta1`, or with a group before it. */
const VERSION = /^(?:[a-z0-9][-a-z0-9.]*\/)?v[0-9]+(?:(?:alpha|beta)[0-9]+)?$/;

/** Reads one item of `kubernetesCustomResourceConversion`. */
export function conversionOf(item: Item): Checked {
  const names = ['name', 'crdName', 'conversions', 'includeSnapshotsFrom', 'group'];
  const fields = new Fields(item, names);
  fields.requiredText('name');
  fields.requiredText('crdName');
  const conversions = fields.list('conversions') ?? [];
  if (conversions.length === 0) {
    refuse(fields.pathOf('conversions'), 'expected at least one {fromVersion, toVersion}');
  }
  for (const conversion of conversions) {
    const versions = new Fields(conversion, ['fromVersion', 'toVersion']);
    for (const name of ['fromVersion', 'toVersion']) {
      if (VERSION.test(versions.requiredText(name))) continue;
      refuse(versions.pathOf(name), 'expected a version such as v1 or example.com/v1');
    }
  }
  return { binding: snapshotUseOf(fields), path: item.path };
}
