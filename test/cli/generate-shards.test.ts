/** Roles, filters, policies and manifests for replicas that share the work. */
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseYamlDocuments } from '../../operator/core/yaml.ts';
import { folderWith } from './child.ts';
import { invoke } from './invocation.ts';

/** A folder with the module `one.ts`, until the test ends. */
function setUp() {
  const folder = folderWith({ 'one.ts': ONE });
  return { folder, module: join(folder, 'one.ts') };
}

const ONE = `
import { controller, source } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
export default controller({
  name: 'one',
  for: source(configMaps),
  reconcile: async () => {},
});`;

test('`--shards` accepts powers of two up to 64, and requires leader election', async () => {
  const { module } = setUp();
  const outcome = async (...options: readonly string[]) => {
    const { exit, stderr } = invoke(['generate', 'rbac', module, ...options]);
    return [await exit, stderr.lines.join('\n')] as const;
  };

  for (const groups of ['1', '2', '64']) {
    expect((await outcome('--shards', groups))[0]).toBe(0);
  }
  for (const groups of ['0', '3', '48', '65', '128', '1.5', 'many']) {
    const [exit, said] = await outcome('--shards', groups);
    expect(exit).toBe(2);
    expect(said).toContain('--shards');
  }
  expect(await outcome('--shards', '16', '--no-leader-election')).toEqual([
    2,
    expect.stringContaining('--no-leader-election'),
  ]);
});

test('with `--shards`, the roles, the filter and the policies allow the Leases of groups and Pods', async () => {
  const { folder, module } = setUp();
  const shards = ['--shards', '16', '--name', 'op', '--namespace', 'demo'];
  const text = async (what: string): Promise<string> => {
    const { exit, stdout } = invoke(['generate', what, module, ...shards]);
    expect(await exit).toBe(0);
    return stdout.lines.join('\n');
  };

  const roles = parseYamlDocuments(await text('rbac')) as { readonly rules?: readonly unknown[] }[];
  const filter = await text('proxy');
  const policies = join(folder, 'policies');
  const { exit } = invoke(['generate', 'policies', module, ...shards, '-o', policies]);

  expect(await exit).toBe(0);
  expect(roles.flatMap(({ rules = [] }) => rules)).toContainEqual({
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['get', 'list', 'create', 'update'],
  });
  expect(filter).toMatch(/\/namespaces\/demo\/leases\(\/\[a-z0-9\]/);
  expect(readFileSync(join(policies, 'requests.yaml'), 'utf8')).toContain(
    '^(op-leader|op-leader-group-(',
  );
});

/** It decides by itself that replicas share the work. */
const DECIDING = `
import { controller, withArguments } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
export default withArguments({
  arguments: { groups: { type: 'string', help: 'how many groups there are' } },
  create: ({ values }) => ({
    controllers: [controller({ name: 'one', for: configMaps, reconcile: async () => {} })],
    settings: values.groups === undefined ? {} : {
      sharding: {
        groups: Number(values.groups), by: 'uid', leaseNamespace: 'demo', leaseName: 'shared',
        leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 5_000, drainMs: 8_000,
        podUid: undefined,
      },
    },
  }),
});`;

const filterOf = async (args: readonly string[]): Promise<string> => {
  const folder = folderWith({ 'op.ts': DECIDING });
  const { exit, stdout } = invoke(['generate', 'proxy', `${folder}/op.ts`, ...args]);
  expect(await exit).toBe(0);
  return stdout.lines.join('\n');
};

test('a module that itself enables sharding gets permissions for all Leases of the namespace', async () => {
  const alone = await filterOf([]);
  const shared = await filterOf(['--', '--groups=8']);

  expect(alone).toMatch(/leases\(\/one-leader\)\?\$/);
  expect(shared).toMatch(/leases\(\/\[a-z0-9\]/);
});

test('`--shards` is refused for hooks and for controllers of Metacontroller, because their work cannot be divided', async () => {
  const folder = folderWith({ 'tidy.sh': '#!/bin/sh', 'controllers.yaml': '' });
  chmodSync(`${folder}/tidy.sh`, 0o755);

  for (const from of [
    ['--hooks', folder],
    ['--from-metacontroller', `${folder}/controllers.yaml`],
  ]) {
    const { exit, stderr } = invoke(['generate', 'rbac', ...from, '--shards', '16']);

    expect(await exit).toBe(2);
    expect(stderr.lines.join('\n')).toContain('--shards does not divide the work of hooks');
  }
});
