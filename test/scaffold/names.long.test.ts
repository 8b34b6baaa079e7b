/** Names of objects: a new kind takes every name, and names its children and their labels with what fits. */
import { join } from 'node:path';
import { eventually, startOperator, startTestEnv, type TestEnv } from '@chancery/testing';
import type { Controller, KubernetesObject } from 'chancery';
import type { CustomResource } from 'chancery/schema';
import { expect, test } from 'vitest';
import { websites } from '../../examples/website/definition.ts';
import { website } from '../../examples/website/operator.ts';
import { done, newProject } from './support/project.ts';

/** What `--owns` takes: the kind of the children, and how their names and labels are limited. */
const OWNED: readonly (readonly [owns: string, apiVersion: string, kind: string])[] = [
  ['configmaps', 'v1', 'ConfigMap'],
  ['cronjobs.batch', 'batch/v1', 'CronJob'],
  ['daemonsets.apps', 'apps/v1', 'DaemonSet'],
  ['deployments.apps', 'apps/v1', 'Deployment'],
  ['jobs.batch', 'batch/v1', 'Job'],
  ['secrets', 'v1', 'Secret'],
  ['serviceaccounts', 'v1', 'ServiceAccount'],
  ['services', 'v1', 'Service'],
  ['statefulsets.apps', 'apps/v1', 'StatefulSet'],
  ['deployments.apps,statefulsets.apps,services', 'apps/v1', 'StatefulSet'],
];

/** Valid names of objects: 72 characters, as many as there can be, dots, a digit first, and a short one. */
const NAMES = [
  'heron-and-egret-on-the-northern-shore-of-the-large-lake-behind-the-woods',
  `${'long.'.repeat(50)}end`,
  'kite.one',
  '1st',
  'plain',
];

interface KubernetesEvent extends KubernetesObject {
  readonly type?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly regarding?: { readonly name?: string };
}

interface Made {
  readonly controller: Controller;
  readonly resource: CustomResource;
}

const SPEC = { image: 'nginx:1.29' };

function parent({ resource: { group, version, kind } }: Made, namespace: string, name: string) {
  return { apiVersion: `${group}/${version}`, kind, metadata: { name, namespace }, spec: SPEC };
}

/** Makes an object of each name, waits until each says that it is ready, and returns the children by their owners. */
async function childrenOf(
  made: Made,
  [apiVersion, kind]: readonly [string, string],
): Promise<ReadonlyMap<string, readonly string[]>> {
  await using env = await startTestEnv({ install: [made.resource] });
  const namespace = await env.namespace();
  await using operator = startOperator({ url: env.url, namespace, controllers: [made.controller] });
  for (const name of NAMES) await env.create(parent(made, namespace, name));
  for (const name of NAMES) {
    await eventually(async () => isReady(await env.get(made.resource, namespace, name)));
  }
  const children = await env.list(apiVersion, kind, namespace);
  expect(operator.log.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  return new Map(NAMES.map((name) => [name, namesOwnedBy(name, children)]));
}

function namesOwnedBy(owner: string, children: readonly KubernetesObject[]): readonly string[] {
  return children
    .filter(({ metadata }) => metadata.ownerReferences?.some(({ name }) => name === owner))
    .map(({ metadata }) => metadata.name);
}

function isReady(object: unknown): boolean {
  const { status } = (object ?? {}) as {
    readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
  };
  return (
    status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') ?? false
  );
}

/** The Event on the parent with the first name, where a quota lets it have no child of the kind. */
async function toldOfQuota(made: Made, counted: string): Promise<KubernetesEvent> {
  await using env = await startTestEnv({ install: [made.resource] });
  const namespace = await env.namespace();
  await env.create({
    ...{ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'none', namespace } },
    ...{ spec: { hard: { [`count/${counted}`]: '0' } } },
  });
  await using operator = startOperator({ url: env.url, namespace, controllers: [made.controller] });
  const [name = ''] = NAMES;
  await env.create(parent(made, namespace, name));
  const told = await refusalOn(env, namespace, name);
  await operator.stop();
  return told;
}

function refusalOn(env: TestEnv, namespace: string, name: string): Promise<KubernetesEvent> {
  return eventually(async () => {
    const events = await env.list<KubernetesEvent>('events.k8s.io/v1', 'Event', namespace);
    return events.find((each) => each.reason === 'ChildRefused' && each.regarding?.name === name);
  });
}

async function madeBy(folder: string, file: string, resource: string): Promise<Made> {
  const module = await import(/* @vite-ignore */ join(folder, 'src', `${file}.ts`));
  return { controller: module.default, resource: module[resource] };
}

test.each(OWNED)(
  '[child 8] an owner of %s may have any name',
  async (owns, apiVersion, kind) => {
    const project = await newProject('names');
    await done(
      project.create('--group=example.com', '--version=v1', '--kind=Kite', `--owns=${owns}`),
    );
    const made = await madeBy(project.folder, 'kite', 'kites');

    const children = await childrenOf(made, [apiVersion, kind]);

    expect([...children.values()].map(({ length }) => length)).toEqual(NAMES.map(() => 1));
    expect(new Set([...children.values()].flat()).size).toBe(NAMES.length);
    expect(children.get('plain')).toEqual([kind === 'Job' ? 'plain-1' : 'plain']);
    const told = await toldOfQuota(made, owns.replace(/,.*/, ''));
    expect(told).toMatchObject({ type: 'Warning' });
    expect(told.note).toMatch(/ is refused: 403 Forbidden: .*exceeded quota: none/);
  },
  120_000,
);

test.each([
  'custom-resource',
  'composite',
])('[child 8] an object of a project with the template %s may have any name', async (template) => {
  const project = await newProject('gull', '--template', template);
  const made = await madeBy(project.folder, 'gull', 'gulls');

  const children = await childrenOf(made, ['apps/v1', 'Deployment']);

  expect([...children.values()].map(({ length }) => length)).toEqual(NAMES.map(() => 1));
  expect(children.get('plain')).toEqual(['plain']);
  const told = await toldOfQuota(made, 'deployments.apps');
  expect(told.note).toContain('deployments.apps');
}, 120_000);

test('[child 8] a Website may have any name', async () => {
  const made = { controller: website, resource: websites };

  const children = await childrenOf(made, ['apps/v1', 'Deployment']);

  expect([...children.values()].map(({ length }) => length)).toEqual(NAMES.map(() => 1));
  expect(children.get('plain')).toEqual(['plain']);
  const told = await toldOfQuota(made, 'deployments.apps');
  expect(told.note).toContain('deployments.apps');
}, 120_000);

test('[found 19] the sample of a kind with a long name becomes ready', async () => {
  const kind = `${'Long'.repeat(13)}Kite`;
  const project = await newProject('long', `--kind=${kind}`);
  const file = `${'long-'.repeat(13)}kite`.slice(0, 63);
  const sample = new URL(`file://${join(project.folder, 'samples', `${file}.yaml`)}`);
  const made = await madeBy(
    project.folder,
    file,
    `${kind.charAt(0).toLowerCase()}${kind.slice(1)}s`,
  );
  await using env = await startTestEnv({ install: [made.resource] });
  const namespace = await env.namespace();
  await using operator = startOperator({ url: env.url, namespace, controllers: [made.controller] });

  const [applied] = await env.apply(sample, { namespace });

  const name = applied?.metadata.name ?? expect.unreachable();
  await eventually(async () => isReady(await env.get(made.resource, namespace, name)));
  expect(operator.log.filter(({ level }) => level === 'error')).toEqual([]);
}, 60_000);

test.each([
  'd'.repeat(64),
  'one.two',
  '1st',
])('[child 8] the template built-in creates a Service for a Deployment named %s', async (name) => {
  const project = await newProject('tern', '--template', 'built-in');
  const { controller } = await madeBy(project.folder, 'expose', '');
  await using env = await startTestEnv();
  const namespace = await env.namespace();
  await using operator = startOperator({ url: env.url, namespace, controllers: [controller] });
  const labels = { app: 'tern', expose: 'yes' };
  const containers = [{ name: 'main', image: 'nginx:1.29', ports: [{ containerPort: 80 }] }];

  await env.create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  });
  const [service = ''] = await eventually(async () => {
    const names = namesOwnedBy(name, await env.list('v1', 'Service', namespace));
    return names.length > 0 && names;
  });

  expect(service).toMatch(/^[a-z][-a-z0-9]{0,62}$/);
  await env.patch('apps/v1', 'Deployment', namespace, name, {
    metadata: { labels: { expose: null } },
  });
  await eventually(async () => (await env.get('v1', 'Service', namespace, service)) === undefined);
  expect(operator.log.filter(({ level }) => level === 'error')).toEqual([]);
}, 60_000);
