/** The closed form, `manifests/overlays/hardened`: the ambassador is a native sidecar and listens on a socket. */
import { readFileSync } from 'node:fs';
import { eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { inOperator } from '../support/in-operator.ts';
import { listeners } from '../support/listeners.ts';
import { changeAndRoll, PATIENCE, runWorkload, startWorld } from '../support/world.ts';
import type { Place } from './place.ts';

const SOCKET = '/run/ambassador/api.sock';

export function hardened({ means, images }: Place): void {
  test('[security 8] with a unix socket the operator works, the ambassador opens no port, another user is refused, and the operator stops first', async () => {
    const world = await startWorld({
      means,
      images: images(),
      overlay: 'manifests/overlays/hardened',
    });
    onTestFinished(() => world.end());
    const startedFirst = world.pod
      .container('proxy')
      .lines.includes(`Starting to serve on ${SOCKET}`);
    await eventually(() => world.pod.isReady(), PATIENCE);
    await runWorkload(world);
    await changeAndRoll(world, 'two');

    const operator = world.pod.container('operator');
    const own = await inOperator(operator, 'dial', [SOCKET]);
    const foreign = await inOperator(operator, 'dial', [SOCKET], 65_533);
    const table = (name: string): string =>
      readFileSync(`/proc/${world.pod.sandbox.pid}/net/${name}`, 'utf8');
    const ports = listeners(table('tcp'), table('tcp6'));
    const seen = JSON.parse(await inOperator(operator, 'look-around'));
    const ending = await world.pod.terminate();

    expect(startedFirst).toBe(true);
    expect({ own, foreign }).toEqual({ own: 'connected', foreign: 'EACCES' });
    expect(ports).toEqual(['[::]:8080', '[::]:8081']);
    expect(seen).toMatchObject({
      user: [65_531, 65_531, expect.anything()],
      writable: [],
      credentials: [],
    });
    expect(seen.commands).toHaveLength(2); // one user id for both, and still no process of the other
    expect(ending).toEqual([
      'SIGTERM operator',
      'operator ended with 0',
      'SIGTERM proxy',
      'proxy ended with 2',
    ]);
  });
}
