/**
 * The commands of docs/guides/operate/sharding.md, in their order, beside an operator whose replicas share the work.
 *
 * @module-tag kubectl
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eventually, startOperator, startTestEnv } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { Controller } from '../../operator/controller/controller.ts';
import { BIN, start } from '../cli/child.ts';
import { pathOf } from '../tools/tools.ts';
import { copyExamples, exampleFolder, exampleOf, guide } from './guide.ts';

const page = guide('guides/operate/sharding.md');
const NAMESPACE = 'report';

/** Short, so that the first start waits 3 s for the holder of a Lease that is not there. */
const TIMES = {
  CHANCERY_LEASE_DURATION: '3',
  CHANCERY_LEASE_RENEW_DEADLINE: '2',
  CHANCERY_LEASE_RETRY_PERIOD: '1',
  CHANCERY_SHARD_RETRY_PERIOD: '1',
};

function folderOf(server: string): string {
  const folder = exampleFolder();
  copyExamples('guides/operate/sharding.md', folder);
  mkdirSync(join(folder, 'bin'));
  symlinkSync(BIN, join(folder, 'bin', 'chancery'));
  symlinkSync(pathOf('kubectl'), join(folder, 'bin', 'kubectl'));
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    users: [{ name: 'test', user: {} }],
    'current-context': 'test',
  };
  writeFileSync(join(folder, 'config'), JSON.stringify(config));
  return folder;
}

test('[SH-10] the commands in sharding.md enable sharding, scale, and print Leases and lost groups', {
  timeout: 120_000,
}, async () => {
  const env = await startTestEnv({ backend: 'embedded', embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  const folder = folderOf(env.url);
  const commands = [...page.matchAll(/^ {4}((?:chancery|kubectl) .*)$/gm)].map(
    ([, command = '']) => command,
  );
  const run = async (command: string): Promise<string> => {
    const child = start('sh', ['-c', `cd '${folder}' && ${command}`], {
      PATH: [join(folder, 'bin'), dirname(process.execPath), process.env.PATH].join(':'),
      KUBECONFIG: join(folder, 'config'),
      CHANCERY_API_URL: env.url,
      POD_NAMESPACE: NAMESPACE,
    });
    const code = await child.exit;
    const [stdout, stderr] = [child.stdout.lines.join('\n'), child.stderr.lines.join('\n')];
    // The API server of the test has no ambassador in front, whose filter the check would miss.
    expect([command, code, stderr]).toEqual([
      command,
      command.startsWith('chancery check') ? 1 : 0,
      expect.any(String),
    ]);
    return `${stdout}\n${stderr}`;
  };
  const on = commands.filter((command) => !/ get /.test(command));
  const asking = commands.filter((command) => / get /.test(command));

  const shown: string[] = [];
  for (const command of on) shown.push(await run(command));
  const report = await exampleOf<{ default: Controller }>(
    'guides/operate/sharding.md',
    'operator.ts',
  );
  const operator = startOperator({
    url: env.url,
    namespace: NAMESPACE,
    controllers: [report.default],
    leaderElection: { namespace: NAMESPACE },
    environment: { POD_NAME: 'report-1', CHANCERY_SHARDS: '4', ...TIMES },
  });
  onTestFinished(() => operator.stop());
  const owned = (): number =>
    operator.status.sharding?.groups.filter(({ phase }) => phase === 'owning').length ?? 0;
  await eventually(() => owned() === 4, { timeoutMs: 60_000 });
  const name = 'report-leader-group-2';
  await env.patch('coordination.k8s.io/v1', 'Lease', NAMESPACE, name, {
    spec: { holderIdentity: 'somebody' },
  });
  await eventually(() => operator.log.some(({ message }) => message.includes('lost its Leases')), {
    timeoutMs: 60_000,
  });
  let lost = '';
  await eventually(async () => {
    lost = await run(asking[1] ?? '');
    return lost.includes('GroupsLost');
  });
  const leases = await run(asking[0] ?? '');

  expect(commands).toHaveLength(8);
  expect(shown[0]).toContain('overlays/namespaced');
  expect(shown[4]).toContain(
    'sharding: 16 groups by uid, Leases report/report-leader-group-0 to -15',
  );
  expect(await env.get('apps/v1', 'Deployment', NAMESPACE, 'report')).toMatchObject({
    spec: { replicas: 4 },
  });
  for (const part of ['report-leader ', 'group-0', 'group-3', 'report-leader-member-report-1']) {
    expect(leases).toContain(part);
  }
  expect(lost).toContain('lost its Leases of 1 of 4 groups: 2');
});
