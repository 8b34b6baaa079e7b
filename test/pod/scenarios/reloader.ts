/** The reloader example as its manifests and its Dockerfile ship it: it reads Secrets, and that is all. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deployment, eventually, secret } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { bundledExample } from '../support/image.ts';
import { inOperator } from '../support/in-operator.ts';
import { PATIENCE, startWorld, type World } from '../support/world.ts';
import type { Place } from './place.ts';

const NAMESPACE = 'reloader';
const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;

export function reloader({ means, images }: Place): void {
  test('[reloader 27] an operator that reads Secrets has no token, cannot write Secrets, and reaches only what it declares', async () => {
    const world = await start({ means, images });
    const { server, pod } = world;
    await eventually(() => pod.isReady(), PATIENCE);
    server.create(secret('own', { namespace: NAMESPACE, data: { password: 'b2xk' } }));
    const main = { name: 'main', image: 'web', envFrom: [{ secretRef: { name: 'own' } }] };
    const annotations = { 'reloader.stakater.com/auto': 'true' };
    const podSpec = { containers: [main] };
    server.create(deployment('web', { namespace: NAMESPACE, annotations, podSpec }));
    await eventually(() => baselineOf(world) !== undefined, PATIENCE);
    server.patch('v1', 'Secret', NAMESPACE, 'own', { data: { password: 'bmV3' } });
    await eventually(() => replicaSets(world) === 2, PATIENCE);

    const operator = pod.container('operator');
    const seen = JSON.parse(await inOperator(operator, 'look-around'));
    const answers = JSON.parse(await inOperator(operator, 'send-all', [...WRITES, ...OUTSIDE]));

    expect(seen).toMatchObject({ credentials: [], writable: [] });
    expect(seen.environment).not.toContainEqual(expect.stringMatching(/token|kubeconfig/i));
    const byFilter = '403 text/plain; charset=utf-8 Forbidden\n';
    const refused = expect.stringMatching(/^403 /);
    expect(answers).toEqual({
      ...Object.fromEntries(WRITES.map((line) => [line, refused])),
      ...Object.fromEntries(OUTSIDE.map((line) => [line, byFilter])),
    });
    expect(server.get('v1', 'Secret', NAMESPACE, 'own')).toMatchObject({
      data: { password: 'bmV3' },
    });
  });
}

/** Their paths are open, because Secrets are read there; the Role refuses them. */
const WRITES = [
  `POST ${SECRETS}`,
  `PUT ${SECRETS}/own`,
  `PATCH ${SECRETS}/own`,
  `DELETE ${SECRETS}/own`,
  `DELETE ${SECRETS}`,
];

const OUTSIDE = [
  'GET /api/v1/secrets',
  'GET /api/v1/namespaces/kube-system/secrets',
  `GET /api/v1/namespaces/${NAMESPACE}/pods`,
  `POST /api/v1/namespaces/${NAMESPACE}/serviceaccounts/reloader/token`,
  `POST /api/v1/namespaces/${NAMESPACE}/pods/web/exec`,
  `GET ${SECRETS}/own/status`,
  'GET /metrics',
];

async function start({ means, images }: Pick<Place, 'means' | 'images'>): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-pod-reloader-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const own = await bundledExample('reloader', images()['chancery-operator'], folder);
  const world = await startWorld({
    means,
    images: { ...images(), 'reloader-operator': own },
    overlay: 'examples/reloader/manifests/overlays/namespaced',
    namespace: NAMESPACE,
  });
  onTestFinished(() => world.end());
  return world;
}

function baselineOf({ server }: World): string | undefined {
  const web = server.get('apps/v1', 'Deployment', NAMESPACE, 'web');
  return web?.metadata.annotations?.['reloader.chancery.dev/baseline'];
}

function replicaSets({ server }: World): number {
  return server.list('apps/v1', 'ReplicaSet', NAMESPACE).length;
}
