/** What `chancery generate` makes for replicas that share the work. */
import { chmodSync } from 'node:fs';
import { expect, test } from 'vitest';
import { folderWith } from './child.ts';
import { invoke } from './invocation.ts';

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

test('a module that decides about sharing gets the rights for all Leases of the namespace', async () => {
  const alone = await filterOf([]);
  const shared = await filterOf(['--', '--groups=8']);

  expect(alone).toMatch(/leases\(\/one-leader\)\?\$/);
  expect(shared).toMatch(/leases\(\/\[a-z0-9\]/);
});

test('the work of hooks and of Metacontroller’s controllers is not divided: --shards is refused', async () => {
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
