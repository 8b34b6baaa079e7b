/**
 * Requests to hooks, byte for byte. The golden files are derived by hand from the contract: no recordings of the original
 * exist here. They are indented for readers; the white space outside of strings is no part of them.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import {
  type HookRequestsOptions,
  hookRequests,
  type SyncQuestion,
} from '../../src/json/hook-request.ts';
import {
  clusterParent,
  foreign,
  orchards,
  parent,
  plan,
  press,
  role,
  signs,
  TYPES,
} from './orchards.ts';

function golden(name: string): string {
  const text = readFileSync(new URL(`golden/${name}.txt`, import.meta.url), 'utf8');
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
}

function composite(version: 'v1' | 'v2', question: Partial<SyncQuestion>): Promise<string> {
  const spec = { kind: 'CompositeController', object: orchards(version) } as const;
  const types = [TYPES.jobs, TYPES.deployments, TYPES.configMaps];
  const children = types.map((resource) => ({ resource, objects: [] }));
  const options = { version, managedFields: true };
  return hookRequests(spec, options)
    .sync({ parent, children, related: [], finalizing: false, ...question })
    .text();
}

const { configMaps, deployments, jobs, clusterRoles } = TYPES;

test.each([
  'v1',
  'v2',
] as const)('[contract 21] [contract 23] [contract 24] [contract 27] [contract 29] [metacontroller 7] for a composite with a namespaced parent, the request of hook version %s is as recorded', async (version) => {
  const children = [
    { resource: jobs, objects: [] },
    { resource: deployments, objects: [press] },
    { resource: configMaps, objects: [plan] },
  ];

  const text = await composite(version, { children });

  expect(text).toBe(golden(`composite-${version}-namespaced`));
});

test.each([
  'v1',
  'v2',
] as const)('[contract 23] [contract 24] [contract 34] [metacontroller 7] for a finalized composite with a cluster-scoped parent, the request of hook version %s is as recorded', async (version) => {
  const children = [
    { resource: clusterRoles, objects: [role] },
    { resource: configMaps, objects: [foreign, plan] },
    { resource: jobs, objects: [] },
  ];

  const text = await composite(version, { parent: clusterParent, children, finalizing: true });

  expect(text).toBe(golden(`composite-${version}-cluster`));
});

test.each([
  'v1',
  'v2',
] as const)('[contract 22] [contract 25] [metacontroller 7] for a namespaced parent with related objects, the request of hook version %s is as recorded: v1 omits related objects of other namespaces', async (version) => {
  const related = [
    { resource: deployments, objects: [press] },
    { resource: configMaps, objects: [foreign] },
    { resource: clusterRoles, objects: [role] },
  ];

  const text = await composite(version, { related });

  expect(text).toBe(golden(`related-${version}-namespaced`));
});

function decorator(options: Partial<HookRequestsOptions> = {}) {
  const spec = { kind: 'DecoratorController', object: signs } as const;
  return hookRequests(spec, { version: 'v2', managedFields: true, ...options });
}

const decorated = {
  parent: press,
  children: [{ resource: configMaps, objects: [plan] }],
  related: [],
};

test('[contract 37] [metacontroller 7] the request for a decorator is as recorded, hook version v2', async () => {
  const text = await decorator()
    .sync({ ...decorated, finalizing: false })
    .text();

  expect(text).toBe(golden('decorator-v2'));
});

test('[contract 37] [metacontroller 7] the request for a finalizing decorator is as recorded, hook version v1', async () => {
  const text = await decorator({ version: 'v1' })
    .sync({ ...decorated, finalizing: true })
    .text();

  expect(text).toBe(golden('decorator-v1'));
});

test('[contract 40] [metacontroller 7] a customize hook gets the object in the field `parent`, even if the controller is a decorator', async () => {
  const text = await decorator().customize(press).text();

  expect(text).toBe(golden('customize'));
});

test('[contract 28] managedFields are omitted from every object if the option for it is set', async () => {
  const managed = (object: KubernetesObject): KubernetesObject => ({
    ...object,
    metadata: { ...object.metadata, managedFields: [{ manager: 'kubectl' }] },
  });
  const question = {
    parent: managed(press),
    children: [{ resource: configMaps, objects: [managed(plan)] }],
    related: [{ resource: clusterRoles, objects: [managed(role)] }],
    finalizing: false,
  };
  const occurrences = async (managedFields: boolean): Promise<number> =>
    (await decorator({ managedFields }).sync(question).text()).split('"managedFields"').length - 1;

  expect(await occurrences(true)).toBe(4);
  expect(await occurrences(false)).toBe(0);
});

test('the request value for modules has the same content as the JSON text for webhooks', async () => {
  const request = decorator().sync({ ...decorated, finalizing: true });

  expect(JSON.parse(await request.text())).toEqual(request.value);
});

test('the JSON text of a request is created only once', () => {
  const request = decorator().customize(press);

  expect(request.text()).toBe(request.text());
});
