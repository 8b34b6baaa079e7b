/**
 * docs/guides/write/metacontroller.md, typed as it stands there.
 *
 * @module-tag bash
 * @module-tag jq
 * @module-tag kubectl
 */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { startTestEnv, type TestEnv } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { KubernetesObject } from '../../operator/index.ts';
import {
  compositeControllers,
  decoratorControllers,
} from '../../packages/metacontroller/src/definitions/resources.ts';
import { definition } from '../../packages/metacontroller/test/support/farm.ts';
import { pathOf } from '../tools/tools.ts';
import { guide } from './guide.ts';
import { folder } from './running-commands.ts';

const page = guide('guides/write/metacontroller.md');

/** What stands in blocks that name a file, by file. */
const files = new Map(
  [...page.matchAll(/^```(?:yaml|json|bash|ts) (\S+)\n(.*?)^```$/gms)].map(
    ([, name = '', text = '']) => [name, text],
  ),
);

/** The commands below a heading. */
function commandsBelow(heading: string): readonly string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  return [...(section.split('\n## ')[0] ?? '').matchAll(/^ {4}((?:chancery|kubectl) .*)$/gm)].map(
    ([, command = '']) => command,
  );
}

test('five commands migrate controllers from Metacontroller to chancery, and two commands undo this', {
  timeout: 100_000,
}, async () => {
  const env = await startTestEnv({ backend: 'embedded', embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  await originalIn(env);
  const place = folder();
  const run = shellIn(place, env.url);

  const five = commandsBelow('Your controllers, without cluster-admin');
  const told: string[] = [];
  for (const command of five) told.push(await run(command));
  const stopped = await originalOf(env);
  const rules = await rulesOf(env);
  const back = commandsBelow('Take over, and go back');
  for (const command of back) await run(command);

  expect(five).toHaveLength(5);
  expect(told[2]).toContain('0 errors');
  expect(stopped?.spec.replicas).toBe(0);
  expect(
    rules.flatMap(({ apiGroups, resources, verbs }) => [apiGroups, resources, verbs].flat()),
  ).not.toContain('*');
  expect(rules.flatMap(({ resources }) => resources)).toEqual(
    expect.arrayContaining(['greetings', 'configmaps', 'compositecontrollers']),
  );
  expect(back).toHaveLength(2);
  expect((await originalOf(env))?.spec.replicas).toBe(1);
  expect(await env.list('apps/v1', 'Deployment')).toEqual([]);
  expect(await env.get('v1', 'Namespace', undefined, 'metacontroller')).toBeDefined();
  expect(await env.list('metacontroller.k8s.io/v1alpha1', 'CompositeController')).toHaveLength(1);
});

test('the `test-hook` commands in metacontroller.md call the function with the request of the page', async () => {
  const place = folder();
  const run = shellIn(place, 'http://127.0.0.1:1');
  chmodSync(join(place, 'greeting.sh'), 0o755);
  const commands = commandsBelow('Three modes').filter((each) => each.includes(' test-hook '));

  const told: string[] = [];
  for (const command of commands) told.push(await run(command));

  expect(told).toHaveLength(2);
  for (const each of told) expect(each).toContain('demo/hello');
});

interface StatefulSet extends KubernetesObject {
  readonly spec: { readonly replicas: number };
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** A cluster with the original, the controller of the page and its parents. */
async function originalIn(env: TestEnv): Promise<void> {
  const selector = { matchLabels: { app: 'metacontroller' } };
  const template = {
    metadata: { labels: selector.matchLabels },
    spec: { containers: [{ name: 'metacontroller', image: 'registry.example/metacontroller' }] },
  };
  await env.apply([
    compositeControllers.definition as KubernetesObject,
    decoratorControllers.definition as KubernetesObject,
    definition('Greeting', 'greetings', { group: 'example.dev' }),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'metacontroller' } },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'metacontroller', namespace: 'metacontroller' },
      spec: { replicas: 1, serviceName: '', selector, template },
    } as KubernetesObject,
  ]);
  await env.apply(files.get('controllers/greeting.yaml') ?? '');
}

function originalOf(env: TestEnv): Promise<StatefulSet | undefined> {
  return env.get<StatefulSet>('apps/v1', 'StatefulSet', 'metacontroller', 'metacontroller');
}

/** Those of the roles that were applied. */
async function rulesOf(env: TestEnv): Promise<readonly Rule[]> {
  const roles = await env.list<KubernetesObject & { readonly rules: readonly Rule[] }>(
    ...(['rbac.authorization.k8s.io/v1', 'ClusterRole'] as const),
  );
  const own = roles.filter(({ metadata }) => metadata.name.startsWith('chancery-metacontroller'));
  return own.flatMap(({ rules }) => rules);
}

/** Runs commands with the files of the page, and with a kubectl that speaks to this API server. */
function shellIn(place: string, url: string): (command: string) => Promise<string> {
  for (const [name, text] of files) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    writeFileSync(join(place, name), text);
  }
  const kubectl = `#!/bin/sh\nexec '${pathOf('kubectl')}' --server='${url}' "$@"\n`;
  writeFileSync(join(place, 'bin', 'kubectl'), kubectl);
  chmodSync(join(place, 'bin', 'kubectl'), 0o755);
  const PATH = [join(place, 'bin'), process.env.PATH].join(':');
  const env = { ...process.env, PATH, HOME: place, KUBECONFIG: '/dev/null' };
  return async (command) => {
    const { stdout, stderr } = await promisify(execFile)('sh', ['-euc', command], {
      cwd: place,
      env,
    });
    return stdout + stderr;
  };
}
