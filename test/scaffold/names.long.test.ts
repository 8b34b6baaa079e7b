/** Names of objects: a new kind takes what its children and their labels can be named after, and no more. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, startOperator, startTestEnv } from '@chancery/testing';
import type { Controller, KubernetesObject } from 'chancery';
import type { CustomResource } from 'chancery/schema';
import { expect, test } from 'vitest';
import shop, { websites } from '../../examples/website/operator.ts';
import { done, newProject } from './support/project.ts';

const LIMITS: readonly (readonly [owns: string, maxLength: number, isLabel: boolean])[] = [
  ['configmaps', 63, false],
  ['cronjobs.batch', 52, false],
  ['daemonsets.apps', 63, false],
  ['deployments.apps', 63, false],
  ['jobs.batch', 52, false],
  ['secrets', 63, false],
  ['serviceaccounts', 63, false],
  ['services', 63, true],
  ['statefulsets.apps', 52, true],
  ['deployments.apps,statefulsets.apps,services', 52, true],
];

interface KubernetesEvent extends KubernetesObject {
  readonly type?: string;
  readonly reason?: string;
  readonly regarding?: object;
}

interface Made {
  readonly controller: Controller;
  readonly resource: CustomResource;
  readonly spec: object;
}

/** Which names the API server takes for a kind, and which of these become ready. */
async function statesOf(
  { controller, resource, spec }: Made,
  names: readonly string[],
): Promise<readonly ('ready' | 'refused')[]> {
  await using env = await startTestEnv({ install: [resource] });
  const namespace = await env.namespace();
  await using operator = startOperator({ url: env.url, namespace, controllers: [controller] });
  const { group, version, kind } = resource;
  const states: ('ready' | 'refused')[] = [];
  for (const name of names) {
    const object = { apiVersion: `${group}/${version}`, kind, metadata: { name, namespace }, spec };
    const isTaken = await env.create(object).then(
      () => true,
      (error: Error) => !/the name (?:has|must .*have) at most \d+ characters/.test(error.message),
    );
    if (isTaken) await eventually(async () => isReady(await env.get(resource, namespace, name)));
    states.push(isTaken ? 'ready' : 'refused');
  }
  expect(operator.log.filter(({ level }) => level === 'error')).toEqual([]);
  return states;
}

function isReady(object: unknown): boolean {
  const { status } = (object ?? {}) as {
    readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
  };
  return (
    status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') ?? false
  );
}

test.each(
  LIMITS,
)('[found 19] the owner of %s is named by at most %d characters', async (...limit) => {
  const [owns, maxLength, isLabel] = limit;
  const project = await newProject('names');
  await done(
    project.create('--group=example.com', '--version=v1', '--kind=Kite', `--owns=${owns}`),
  );
  const module = await import(/* @vite-ignore */ join(project.folder, 'src/kite.ts'));
  const made = {
    controller: module.default,
    resource: module.kites,
    spec: { image: 'nginx:1.29' },
  };

  const states = await statesOf(made, ['k'.repeat(maxLength), 'k'.repeat(maxLength + 1)]);
  const [others] = isLabel
    ? [await statesOf(made, ['1kite', 'kite.one'])]
    : [['refused', 'refused']];

  expect(states).toEqual(['ready', 'refused']);
  expect(others).toEqual(['refused', 'refused']);
}, 60_000);

test.each([
  'custom-resource',
  'composite',
])('[found 19] a name that is too long for the template %s is refused', async (template) => {
  const project = await newProject('gull', '--template', template);
  const module = await import(/* @vite-ignore */ join(project.folder, 'src/gull.ts'));
  const made = {
    controller: module.default,
    resource: module.gulls,
    spec: { image: 'nginx:1.29' },
  };

  expect(await statesOf(made, ['g'.repeat(63), 'g'.repeat(64)])).toEqual(['ready', 'refused']);
}, 60_000);

test('[found 19] the sample of a kind with a long name has a name that its definition takes', async () => {
  const kind = `${'Long'.repeat(14)}Kite`;
  const project = await newProject('long', `--kind=${kind}`);
  await done(
    project.create(
      '--group=example.com',
      '--version=v1',
      '--kind',
      `${'Far'.repeat(20)}`,
      '--owns=jobs',
    ),
  );
  const samples = join(project.folder, 'samples');

  const names = readdirSync(samples).map(
    (file) => /^ {2}name: (\S+)$/m.exec(readFileSync(join(samples, file), 'utf8'))?.[1]?.length,
  );

  expect(names).toEqual([expect.any(Number), expect.any(Number)]);
  expect(Math.max(...names.map(Number))).toBeLessThanOrEqual(63);
  expect(Math.min(...names.map(Number))).toBeLessThanOrEqual(52);
});

test.each([
  'd'.repeat(64),
  'one.two',
  '1st',
])('[found 19] the template built-in says that no Service can be named %s', async (name) => {
  const project = await newProject('tern', '--template', 'built-in');
  const { default: controller } = await import(
    /* @vite-ignore */ join(project.folder, 'src/expose.ts')
  );
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
  const told = await eventually(async () => {
    const events = await env.list<KubernetesEvent>('events.k8s.io/v1', 'Event', namespace);
    return events.find(({ reason }) => reason === 'NotExposed');
  });

  expect(told).toMatchObject({ type: 'Warning', regarding: { kind: 'Deployment', name } });
  expect(operator.log.filter(({ level }) => level === 'error')).toEqual([]);
}, 60_000);

test('[found 19] a Website is named by at most 63 characters', async () => {
  const made = { controller: shop, resource: websites, spec: { image: 'nginx:1.29' } };

  expect(await statesOf(made, ['w.x'.padEnd(63, 'w'), 'w'.repeat(64)])).toEqual([
    'ready',
    'refused',
  ]);
}, 60_000);
