/**
 * Kustomize, Helm and OLM make the same operator of every example: the same containers, rules and filter.
 *
 * @module-tag kubectl
 * @module-tag go
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TREES } from '../../../../examples/trees.ts';
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import { render } from '../../../../test/manifests/support/rendered.ts';
import { filesOf, type Rendered, renderOnce } from '../helm/render-chart.ts';
import { podSpecOf } from './guarantees.ts';
import { bundleObjects } from './support/bundle-objects.ts';
import { comparable, rulesIn, withPlainNames } from './support/comparable.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'chancery-packages-'));
const program = fileURLToPath(new URL('./support/generate-packages.ts', import.meta.url));
let refused: Readonly<Record<string, string>> = {};

beforeAll(() => {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--conditions=chancery-source', program, folder],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  refused = JSON.parse(stdout) as Readonly<Record<string, string>>;
});
afterAll(() => rmSync(folder, { recursive: true }));

test('every example with manifests has a chart and a bundle', () => {
  const ofExamples = readdirSync(`${root}examples`).filter((name) =>
    existsSync(`${root}examples/${name}/manifests`),
  );

  // The tree of config-restart is the folder manifests/ of the repository.
  expect(Object.keys(TREES).sort()).toEqual(['config-restart', ...ofExamples].sort());
  // Its definition is converted, and OLM would give the key of the gate to the operator.
  expect(Object.keys(refused)).toEqual(['website bundle']);
  expect(refused['website bundle']).toContain('cannot be in a bundle');
});

describe.each(Object.entries(TREES))('%s', (name, words) => {
  const manifests = words[words.indexOf('-o') + 1] ?? '';

  test.each(
    readdirSync(`${root}${manifests}/overlays`),
  )('[I-6] [packaging 1] the chart renders the objects of the overlay %s', async (overlay) => {
    const { objects, namespace } = await kustomized(`${manifests}/overlays/${overlay}`);

    const chart = await chartAs(name, namespace, overlay);

    expect(comparable(chart.objects, namespace)).toEqual(
      comparable(
        objects.filter(({ kind }) => kind !== 'Namespace'),
        namespace,
      ),
    );
  });

  if (name === 'website') return; // refused, as the test above says
  test('[I-6] [packaging 11] the bundle has the Deployment, rules and filter of the overlay', async () => {
    const { objects, namespace } = await kustomized(`${manifests}/overlays/cluster-scoped`);

    const bundled = bundleObjects(join(folder, name, 'bundle'), namespace);

    expect(podSpecOf(bundled)).toEqual(podSpecOf(withPlainNames(objects)));
    expect(comparable(bundled.filter(isBundled), namespace)).toEqual(
      comparable(objects.filter(isBundled), namespace),
    );
    expect(rulesIn(bundled)).toEqual(rulesIn(objects));
  });
});

/** OLM makes ServiceAccount, roles and bindings itself, of the rules. */
function isBundled({ kind }: KubernetesObject): boolean {
  return ['Deployment', 'ConfigMap', 'CustomResourceDefinition'].includes(kind);
}

interface Kustomized {
  readonly objects: readonly KubernetesObject[];
  readonly namespace: string;
}

const known = new Map<string, Kustomized>();

async function kustomized(overlay: string): Promise<Kustomized> {
  const before = known.get(overlay);
  if (before !== undefined) return before;
  const objects = await render(overlay);
  const namespace = objects.find(({ kind }) => kind === 'Deployment')?.metadata.namespace;
  if (namespace === undefined) throw new Error(`${overlay} has no Deployment`);
  const found = { objects, namespace };
  known.set(overlay, found);
  return found;
}

/** Values that choose what an overlay chooses. The chart brings a file for each, on top of each other. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  'cluster-scoped': [],
  namespaced: ['namespaced'],
  hardened: ['namespaced', 'hardened'],
  observed: ['observed'],
};
/** Those that the overlay `hardened` has as an example. */
const API_SERVER = ['192.0.2.1/32', '192.0.2.10/32'];

/** A release that is called as the operator, so that its objects have the names of the overlay. */
async function chartAs(name: string, namespace: string, overlay: string): Promise<Rendered> {
  const chart = join(folder, name, 'chart');
  const files = filesOf(chart);
  const values = [
    ...(VALUES[overlay] ?? [overlay]).map((each) => files[`ci/${each}-values.yaml`] ?? 'unknown'),
    ...(overlay === 'hardened' ? [{ networkPolicy: { apiServer: API_SERVER } }] : []),
  ];
  return renderOnce(chart, { release: namespace, namespace, values });
}
