import { type AdmissionOperation, isDnsSubdomain, type MatchCondition } from 'chancery/internal';
import type { AdmissionBinding, AdmissionRule, ConversionBinding } from '../hook.ts';
import { Fields, type Item, refuse, textOf, wordOf } from './fields.ts';
import { labelSelectorOf } from './selectors.ts';
import { type Drafted, snapshotUseOf } from './snapshots.ts';

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
export function admissionOf(type: AdmissionBinding['type'], item: Item): Drafted<AdmissionBinding> {
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
  const { path } = item;
  const binding = {
    ...{ type, name, path, rules: rules.map(ruleOf) },
    ...selectorsOf(fields),
    failurePolicy: fields.oneOf('failurePolicy', ['Fail', 'Ignore']) ?? 'Fail',
    sideEffects: fields.oneOf('sideEffects', ['None', 'NoneOnDryRun']) ?? 'None',
    timeoutSeconds: fields.integer('timeoutSeconds', { min: 1, max: 30 }) ?? 10,
    matchConditions: (fields.list('matchConditions') ?? []).map(conditionOf),
    ...snapshotUseOf(fields),
  };
  return { binding, path };
}

function conditionOf(item: Item): MatchCondition {
  const fields = new Fields(item, ['name', 'expression']);
  return { name: fields.requiredText('name'), expression: fields.requiredText('expression') };
}

const OPERATIONS: readonly (AdmissionOperation | '*')[] = [
  'CREATE',
  'UPDATE',
  'DELETE',
  'CONNECT',
  '*',
];

function ruleOf(item: Item): AdmissionRule {
  const names = ['apiGroups', 'apiVersions', 'resources', 'operations', 'scope'];
  const fields = new Fields(item, names);
  const groups = fields.list('apiGroups', 'a list such as ["", apps]');
  if (groups === undefined || groups.length === 0) {
    return refuse(fields.pathOf('apiGroups'), 'expected at least one; the core group is ""');
  }
  const apiGroups = groups.map(textOf);
  const apiVersions = fields.requiredTexts('apiVersions');
  const resources = fields.requiredTexts('resources');
  fields.requiredTexts('operations');
  const operations = (fields.list('operations') ?? []).map((each) => wordOf(each, OPERATIONS));
  const scope = fields.oneOf('scope', ['Cluster', 'Namespaced', '*']) ?? '*';
  return { apiGroups, apiVersions, resources, operations, scope };
}

function selectorsOf(
  fields: Fields,
): Pick<AdmissionBinding, 'objectSelector' | 'namespaceSelector'> {
  const labels = fields.item('labelSelector');
  const namespace = fields.item('namespace');
  const form = 'a mapping such as {labelSelector: {matchLabels: {app: web}}}';
  const namespaceLabels =
    namespace && new Fields(namespace, ['labelSelector'], form).item('labelSelector');
  return {
    ...(labels && { objectSelector: labelSelectorOf(labels) }),
    ...(namespaceLabels && { namespaceSelector: labelSelectorOf(namespaceLabels) }),
  };
}

/** Matches a version such as `v1` or `v1beta1`, with or without a group before it. */
const VERSION = /^(?:[a-z0-9][-a-z0-9.]*\/)?v[0-9]+(?:(?:alpha|beta)[0-9]+)?$/;

/** Reads one item of `kubernetesCustomResourceConversion`. */
export function conversionOf(item: Item): Drafted<ConversionBinding> {
  const names = ['name', 'crdName', 'conversions', 'includeSnapshotsFrom', 'group'];
  const fields = new Fields(item, names);
  const conversions = fields.list('conversions') ?? [];
  const { path } = item;
  const binding = {
    name: fields.requiredText('name'),
    path,
    crdName: fields.requiredText('crdName'),
    steps: conversions.map(stepOf),
    ...snapshotUseOf(fields),
  };
  if (conversions.length > 0) return { binding, path };
  return refuse(fields.pathOf('conversions'), 'expected at least one {fromVersion, toVersion}');
}

function stepOf(item: Item): ConversionBinding['steps'][number] {
  const fields = new Fields(item, ['fromVersion', 'toVersion']);
  const version = (name: string): string => {
    const text = fields.requiredText(name);
    if (VERSION.test(text)) return text;
    return refuse(fields.pathOf(name), 'expected a version such as v1 or example.com/v1');
  };
  const step = { fromVersion: version('fromVersion'), toVersion: version('toVersion') };
  const [from, to] = Object.values(step).map((text) => text.replace(/^.*\//, ''));
  return from === to ? refuse(item.path, `leads from ${from} to itself: name two versions`) : step;
}
