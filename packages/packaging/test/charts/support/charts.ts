/** Charts of the website operator, and values that stand for components of kustomize. */

import type { ComponentName } from '../../../../../operator/generate/manifests/component-model.ts';
import type { ManifestFile } from '../../../../../operator/generate/manifests/manifest-file.ts';
import type { ManifestsOptions } from '../../../../../operator/generate/manifests/manifests-options.ts';
import {
  type OperatorModel,
  operatorModel,
  type Scope,
} from '../../../../../operator/generate/manifests/operator-model.ts';
import type { KubernetesObject } from '../../../../../operator/model/object.ts';
import { SITE, WEBSITE } from '../../../../../test/manifests/support/trees.ts';
import { chartFiles } from '../../../src/chart/chart.ts';
import type { PackageMetadata } from '../../../src/metadata.ts';

export const METADATA: PackageMetadata = {
  version: '1.10.0',
  description: 'Runs websites.',
  maintainers: [{ name: 'jane', email: 'jane@example.dev' }],
};

export function websiteModel(changed: Partial<ManifestsOptions> = {}): OperatorModel {
  return operatorModel([SITE], { ...WEBSITE.options, ...changed });
}

export function chartOf(
  model: OperatorModel,
  metadata: PackageMetadata = METADATA,
): readonly ManifestFile[] {
  return chartFiles(model, metadata, { command: 'npm run generate' });
}

export const API_SERVER = '192.0.2.7/32';

/** The values that turn these components on. */
export function valuesOf(scope: Scope, components: readonly ComponentName[]): object {
  const has = (name: ComponentName): boolean => components.includes(name);
  return {
    rbac: { namespaced: scope === 'namespaced' },
    debug: has('debug'),
    highAvailability: has('high-availability'),
    networkPolicy: { enabled: has('network-policy'), apiServer: [API_SERVER] },
    prometheus: { enabled: has('prometheus') },
    transport: has('unix-socket') ? 'unixSocket' : 'tcp',
    nativeSidecar: has('native-sidecar'),
  };
}

/** Labels of Helm and of the chart, which kustomize has none of. The name of the release tells two apart. */
const OF_CHARTS =
  /^(helm\.sh\/chart|app\.kubernetes\.io\/(name|instance|version|managed-by|part-of))$/;

/**
 * Objects in an order of their own, without the Namespace and without what only charts have: their labels,
 * and the annotation that keeps definitions. Where only labels of charts are left, nothing is left.
 */
export function comparable(objects: readonly KubernetesObject[]): readonly unknown[] {
  return objects
    .filter(({ kind }) => kind !== 'Namespace')
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .map((object) => cleaned(object));
}

export function keyOf({ kind, metadata }: KubernetesObject): string {
  return `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
}

function cleaned(value: unknown, key: string = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => cleaned(item));
  if (typeof value !== 'object' || value === null) return value;
  const isOfChart = (name: string): boolean =>
    (LABELS.has(key) && OF_CHARTS.test(name)) ||
    (key === 'annotations' && name === 'helm.sh/resource-policy');
  const fields = Object.entries(value)
    .filter(([name]) => !isOfChart(name))
    .map(([name, each]) => [name, cleaned(each, name)] as const)
    .filter(([name, each]) => !(EMPTIED.has(name) && isEmpty(each)));
  return Object.fromEntries(fields);
}

const LABELS = new Set(['labels', 'matchLabels', 'selector']);
const EMPTIED = new Set([...LABELS, 'annotations']);

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
