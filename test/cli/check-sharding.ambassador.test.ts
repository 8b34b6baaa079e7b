/** `chancery check` for replicas that share the work. */
import { ApiServer } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import { rbac } from '../../operator/access/rbac.ts';
import { runCheck } from '../../operator/cli/check/check.ts';
import { CHECK } from '../../operator/cli/check/table.ts';
import { command } from '../../operator/cli/table-command.ts';
import { controller } from '../../operator/controller/controller.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { startProxy } from '../support/cluster.ts';
import { folderWith } from './child.ts';
import { invoke } from './invocation.ts';

const USER = 'system:serviceaccount:demo:op';

const moduleOf = (resource: string): string => `
import { controller } from 'chancery';
import { ${resource} } from 'chancery/kubernetes';

export default controller({ name: 'hello', for: ${resource}, reconcile: async () => {} });`;

/** The same as a module of ConfigMaps, for what follows from it. */
const hello = controller({ name: 'hello', for: configMaps, reconcile: async () => {} });
const placementOf = (sharded: boolean) => ({
  namespaces: ['demo'],
  leaderElection: { namespace: 'demo', sharded },
});

async function cluster(
  granted: 'as a leader' | 'as a member',
): Promise<ApiServer & { proxy: string }> {
  const server = await ApiServer.start({ authorization: 'RBAC' });
  onTestFinished(() => server.close());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } });
  const serviceAccount = { name: 'op', namespace: 'demo' };
  const placement = placementOf(granted === 'as a member');
  for (const object of rbac([hello], { ...placement, name: 'op', serviceAccount })) {
    server.create(object as unknown as KubernetesObject);
  }
  const filter = proxyFilter([hello], placementOf(true));
  const { url } = await startProxy(await server.urlFor(USER), filter);
  return Object.assign(server, { proxy: url });
}

function check(
  url: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  resource = 'configMaps',
) {
  const folder = folderWith({ 'hello.ts': moduleOf(resource) });
  return invoke(['check', `${folder}/hello.ts`, ...args], {
    env: { CHANCERY_API_URL: url, POD_NAMESPACE: 'demo', ...env },
    commands: [
      command(CHECK, async () => (given, io) => runCheck(given, io, { tokenFolders: [] })),
    ],
  });
}

/** The Lease of a replica. */
function memberLease(pod: string, holderIdentity: string, renewTime: Date): KubernetesObject {
  const labels = { 'chancery.dev/shard-set': 'hello-leader' };
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: `hello-leader-member-${pod}`, namespace: 'demo', labels },
    spec: { holderIdentity, renewTime: renewTime.toISOString().replace('Z', '000Z') },
  } as KubernetesObject;
}

test("a leader's permissions are not enough for sharded replicas, and `check` prints the missing permissions", async () => {
  const { proxy } = await cluster('as a leader');

  const { exit, stdout } = check(proxy, ['--shards', '16']);

  expect(await exit).toBe(1);
  const missing = stdout.lines.filter((line) => line.startsWith('missing: '));
  expect(missing).toEqual([
    'missing: get, list, update leases.coordination.k8s.io in namespace demo',
  ]);
  expect(stdout.lines).toContain(
    '    - { apiGroups: ["coordination.k8s.io"], resources: [leases], verbs: [get, list, update] }',
  );
});

test('the generated permissions are enough if sharding is set by the variable or by the option', async () => {
  const { proxy } = await cluster('as a member');

  const runs = [
    check(proxy, ['--shards', '8']),
    check(proxy, [], { CHANCERY_SHARDS: '8', CHANCERY_SHARD_BY: 'namespace' }),
  ] as const;

  for (const { exit } of runs) expect(await exit).toBe(0);
  expect(runs[0].stdout.lines.slice(2)).toEqual([
    'sharding: 8 groups by uid, Leases demo/hello-leader-group-0 to -7, 0 replicas at work',
    'rights: every declared right is granted',
  ]);
  expect(runs[1].stdout.lines[2]).toContain('8 groups by namespace');
});

test('a message is printed if there are fewer than two groups per replica; expired replicas do not count', async () => {
  const server = await cluster('as a member');
  const now = new Date();
  for (const pod of ['a', 'b', 'c']) server.create(memberLease(pod, `${pod}_1`, now));
  server.create(memberLease('stopped', '', now));
  server.create(memberLease('dead', 'dead_1', new Date(now.getTime() - 600_000)));

  const few = check(server.proxy, ['--shards', '4']);
  const enough = check(server.proxy, ['--shards', '8', '-o', 'json']);

  expect(await few.exit).toBe(0);
  expect(few.stdout.lines[2]).toBe(
    'sharding: 4 groups by uid, Leases demo/hello-leader-group-0 to -3, 3 replicas at work: too many, some have twice ' +
      'the work of others or none; set CHANCERY_SHARDS to at least 6',
  );
  expect(await enough.exit).toBe(0);
  expect(JSON.parse(enough.stdout.lines.join('\n')).sharding).toEqual({
    groups: 8,
    by: 'uid',
    lease: 'demo/hello-leader',
    replicas: 3,
  });
});

test.each([
  [
    'a disabled leader election',
    { CHANCERY_LEADER_ELECTION: 'false' },
    'configMaps',
    /CHANCERY_LEADER_ELECTION=false/,
  ],
  [
    'sharding a cluster-scoped resource by namespace',
    { CHANCERY_SHARD_BY: 'namespace' },
    'nodes',
    /does not divide nodes/,
  ],
  [
    'a name that is not a valid label',
    { CHANCERY_LEASE_NAME: 'x'.repeat(64) },
    'configMaps',
    /at most 63 characters/,
  ],
  [
    'a retry period that exceeds the deadline',
    { CHANCERY_SHARD_RETRY_PERIOD: '9' },
    'configMaps',
    /CHANCERY_SHARD_RETRY_PERIOD must be/,
  ],
] as const)('[SH-8] because of %s, keys cannot be divided among replicas, so `check` exits with 2', async (_, env, resource, says) => {
  const { proxy } = await cluster('as a member');

  const { exit, stderr } = check(proxy, ['--shards', '16'], env, resource);

  expect(await exit).toBe(2);
  expect(stderr.lines.join('\n')).toMatch(says);
});
