/** One Pod of two plain containers, as `manifests/overlays/namespaced` renders it: what it does, and what it cannot. */
import { readFileSync } from 'node:fs';
import { eventually } from '@chancery/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOSTILE } from '../../proxy/support/requests.ts';
import { inOperator } from '../support/in-operator.ts';
import { listeners } from '../support/listeners.ts';
import { TOKEN_FOLDER } from '../support/pod-spec.ts';
import {
  changeAndRoll,
  NAMESPACE,
  PATIENCE,
  runWorkload,
  startWorld,
  type World,
} from '../support/world.ts';
import type { Place } from './place.ts';

const NOBODY_RIGHTS = {
  ...{ CapInh: '0000000000000000', CapPrm: '0000000000000000', CapEff: '0000000000000000' },
  ...{ CapBnd: '0000000000000000', CapAmb: '0000000000000000', NoNewPrivs: '1', Groups: '' },
};

export function running({ means, images }: Place): void {
  describe('a Pod of two containers', () => {
    let world: World;

    beforeAll(async () => {
      world = await startWorld({
        means,
        images: images(),
        overlay: 'manifests/overlays/namespaced',
      });
      await eventually(() => world.pod.isReady(), PATIENCE);
      await runWorkload(world);
    }, 60_000);
    afterAll(() => world?.end()); // it may not have come to be

    test('the operator works with the generated filter and roles, and no request is refused', async () => {
      await changeAndRoll(world, 'two');

      const { lines } = world.pod.container('operator');
      const logged = lines.map((line) => JSON.parse(line) as { level: string; msg: string });
      expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
      expect(logged).toContainEqual(
        expect.objectContaining({
          msg: 'self-test of the ambassador is done',
          filter: 'closed',
          missing: 0,
        }),
      );
      const users = new Set(world.server.requests.map(({ user }) => user));
      expect(users).toEqual(new Set([`system:serviceaccount:${NAMESPACE}:config-restart`]));
    });

    test('[security 7] the only listeners in the Pod are the operator and, on loopback, the ambassador', () => {
      const table = (name: string): string =>
        readFileSync(`/proc/${world.pod.sandbox.pid}/net/${name}`, 'utf8');

      expect(listeners(table('tcp'), table('tcp6'))).toEqual([
        '127.0.0.1:8001',
        '[::]:8080',
        '[::]:8081',
      ]);
    });

    test.each([
      'startupProbe',
      'livenessProbe',
    ] as const)('the %s of the ambassador passes', async (probe) => {
      expect(await world.pod.passes('proxy', probe)).toBe(true);
    });

    test('[security 7] the ambassador does not answer at the address of the Pod', async () => {
      expect(await world.pod.ask(8081, '/healthz')).toEqual({ status: 200 });
      await expect(world.pod.ask(8001, '/version')).rejects.toMatchObject({
        code: expect.stringMatching(/^(ECONNRESET|EPIPE)$/),
      });
    });

    test.each([
      ['proxy', 65_531],
      ['operator', 65_532],
    ])('[security 5] the container %s runs as user %d, has no capabilities and cannot gain any', async (name, id) => {
      const status = statusOf(await world.pod.container(name).proc('status'));

      expect(status).toMatchObject({
        ...NOBODY_RIGHTS,
        Uid: [id, id, id, id].join(' '),
        Gid: [id, id, id, id].join(' '),
      });
    });

    test.each([
      ['proxy', [TOKEN_FOLDER]],
      ['operator', []],
    ])('[security 5] the container %s has a read-only root, and mounts only what the manifest names', async (name, mounted) => {
      const container = world.pod.container(name);

      const mounts = mountsOf(await container.proc('mountinfo'));

      expect(mounts).toEqual(
        new Map([...RUNTIME_MOUNTS, ...mounted.map((path): [string, string] => [path, 'ro'])]),
      );
      const { node } = world;
      const touch = node.run(
        node.asAdministrator([node.tools.path.sh, '-c', `: >/proc/${container.pid}/root/x`]),
      );
      await expect(touch).rejects.toMatchObject({
        stderr: expect.stringContaining('Read-only file system'),
      });
    });

    test('[security 1] the operator sees no token, no certificate authority and no other process, and cannot write anywhere', async () => {
      const operator = world.pod.container('operator');

      const seen = JSON.parse(await inOperator(operator, 'look-around'));

      const node = operator.plan.argv[0];
      expect(seen).toEqual({
        user: [65_532, 65_532, expect.anything()],
        commands: [node, node], // the operator, and this look
        writable: [],
        credentials: [],
        environment: expect.not.arrayContaining([expect.stringMatching(/token|kubeconfig/i)]),
      });
    });

    test('[security 10] undeclared requests from inside the operator are refused by the filter or by RBAC', async () => {
      const lines = HOSTILE.map((line) => line.replaceAll('demo', NAMESPACE)).filter(isNotHead);

      const answers = JSON.parse(
        await inOperator(world.pod.container('operator'), 'send-all', lines),
      );

      const byFilter = '403 text/plain; charset=utf-8 Forbidden\n';
      const byRoles = expect.stringMatching(/^403 application\/json \{"kind":"Status"/);
      expect(answers).toEqual(
        Object.fromEntries(lines.map((line) => [line, isPut(line) ? byRoles : byFilter])),
      );
    });
  });
}

/** What every container has: its root, what is made for it of the kernel's, and a few devices. */
const RUNTIME_MOUNTS: readonly (readonly [string, string])[] = [
  ['/', 'ro'],
  ['/proc', 'rw'],
  ['/dev', 'rw'], // belongs to root
  ...['null', 'zero', 'full', 'random', 'urandom'].map((name): [string, string] => [
    `/dev/${name}`,
    'rw',
  ]),
];

/** An answer to HEAD has no body to compare; test/proxy sends them. */
function isNotHead(line: string): boolean {
  return !line.startsWith('HEAD ');
}

/** On paths that are open: a Lease is written by PUT, and methods are open for all paths or for none. */
function isPut(line: string): boolean {
  return /^PUT \/api\/v1\//.test(line);
}

function statusOf(text: string): Readonly<Record<string, string>> {
  const pairs = text
    .trim()
    .split('\n')
    .map((line) => line.split(':\t'));
  return Object.fromEntries(
    pairs.map(([name, value = '']) => [name, value.trim().replaceAll('\t', ' ')]),
  );
}

/** Where something is mounted, and whether it can be written. */
function mountsOf(mountinfo: string): ReadonlyMap<string, string> {
  const rows = mountinfo
    .trim()
    .split('\n')
    .map((row) => row.split(' '));
  return new Map(
    rows.map(([, , , , target = '', options = '']) => [target, options.split(',')[0] ?? '']),
  );
}
