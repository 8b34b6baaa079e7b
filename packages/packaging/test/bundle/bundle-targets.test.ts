/** How an operator learns from OLM what to watch, and that its filter and its rights are enough for that. */
import { expect, test } from 'vitest';
import { accessOf } from '../../../../operator/access/required-access.ts';
import type { EnvironmentVariable } from '../../../../operator/generate/manifests/model-deployment.ts';
import { settingsFrom } from '../../../../operator/manager/settings/settings.ts';
import { groupVersionPath } from '../../../../operator/model/resource.ts';
import { SITE } from '../../../../test/manifests/support/trees.ts';
import type { InstallMode } from '../../src/bundle/bundle-options.ts';
import { bundle, type Csv, csvOf, demo } from './support/bundles.ts';

const OWN = 'operators';
const ALL: readonly InstallMode[] = [
  'OwnNamespace',
  'SingleNamespace',
  'MultiNamespace',
  'AllNamespaces',
];

function container({ spec }: Csv, wanted: string) {
  const { containers } = spec.install.spec.deployments[0]?.spec.template.spec ?? {};
  return containers?.find(({ name }) => name === wanted);
}

/** As the kubelet sets it, in a Pod that OLM has annotated. */
function environment(csv: Csv, targets: string): Readonly<Record<string, string>> {
  const fields: Readonly<Record<string, string>> = {
    'metadata.namespace': OWN,
    'metadata.name': 'demo-1',
    'spec.nodeName': 'node-1',
    "metadata.annotations['olm.targetNamespaces']": targets,
  };
  const textOf = ({ value, valueFrom }: EnvironmentVariable): string => {
    const { fieldRef } = (valueFrom ?? {}) as {
      readonly fieldRef?: { readonly fieldPath: string };
    };
    return value ?? fields[fieldRef?.fieldPath ?? ''] ?? expect.unreachable('an unknown field');
  };
  const { env = [] } = container(csv, 'operator') ?? {};
  return Object.fromEntries(env.map((each) => [each.name, textOf(each)]));
}

/** Paths of the requests that the operator makes when it watches these namespaces. */
function requestPaths(namespaces: readonly string[] | undefined): readonly string[] {
  const leaderElection = { namespace: OWN, leaseName: 'demo-leader' };
  return accessOf([SITE], { namespaces, leaderElection })
    .filter(({ unrequested }) => unrequested !== true)
    .map(({ resource, namespace, resourceNames = ['some.name'], subresource, verbs }) => {
      const inside = namespace ?? (verbs.includes('patch') ? 'other' : undefined);
      const place = inside === undefined ? '' : `/namespaces/${inside}`;
      const isWhole = verbs.includes('list') || verbs.join() === 'create';
      const object = isWhole ? '' : `/${resourceNames[0]}`;
      const below = subresource === undefined ? '' : `/${subresource}`;
      return `${groupVersionPath(resource)}${place}/${resource.plural}${object}${below}`;
    });
}

function lets(csv: Csv, path: string): boolean {
  const [accept = ''] = container(csv, 'proxy')?.args ?? [];
  const patterns = accept.slice('--accept-paths='.length).replaceAll('$(POD_NAMESPACE)', OWN);
  return patterns.split(',').some((pattern) => new RegExp(pattern).test(path));
}

test.each<[string, readonly string[] | undefined]>([
  ['', undefined],
  ['team-a', ['team-a']],
  ['team-a,team-b', ['team-a', 'team-b']],
])('[packaging 20] with the OLM targets "%s", the operator watches %j, and its filter allows these watches', (targets, watched) => {
  const csv = csvOf(bundle(demo(), { installModes: ALL }));

  const { namespaces } = settingsFrom(environment(csv, targets));

  expect(namespaces).toEqual(watched);
  const paths = requestPaths(namespaces);
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((path) => !lets(csv, path))).toEqual([]);
  expect(lets(csv, '/api/v1/namespaces/team-a/secrets')).toBe(false);
  expect(lets(csv, '/apis/coordination.k8s.io/v1/namespaces/team-a/leases')).toBe(false);
});

test("[packaging 20] if the install modes do not include AllNamespaces, an empty annotation means the operator's own namespace", () => {
  const csv = csvOf(bundle(demo(), { installModes: ['OwnNamespace', 'MultiNamespace'] }));

  expect(settingsFrom(environment(csv, '')).namespaces).toEqual([OWN]);
  expect(settingsFrom(environment(csv, 'team-b')).namespaces).toEqual(['team-b']);
});

test('[packaging 20] if AllNamespaces is the only install mode, the annotation is ignored', () => {
  const csv = csvOf(bundle());

  for (const targets of ['', 'team-a']) {
    expect(settingsFrom(environment(csv, targets)).namespaces).toBeUndefined();
  }
});
