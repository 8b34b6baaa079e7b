/** The native sidecar on a port, `native-sidecar` on top of the plain overlay: started first, stopped last. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { isLeading, LEASE, NAMESPACE, PATIENCE, startWorld } from '../support/world.ts';
import type { Place } from './place.ts';

const manifests = fileURLToPath(new URL('../../../manifests/', import.meta.url));

export function sidecar({ means, images }: Place): void {
  test('a native sidecar passes its startup probe before the operator starts, and ends after the operator', async () => {
    const overlay = await overlayWith('components/native-sidecar');
    const world = await startWorld({ means, images: images(), overlay });
    onTestFinished(() => world.end());
    await eventually(() => world.pod.container('operator').lines.some(isLeading), PATIENCE);

    const ending = await world.pod.terminate();

    const [first] = world.server.requests;
    expect(first).toMatchObject({
      path: '/version',
      headers: { 'user-agent': expect.stringMatching(/^kubectl/) },
    });
    expect(ending).toEqual([
      'SIGTERM operator',
      'operator ended with 0',
      'SIGTERM proxy',
      'proxy ended with 2',
    ]);
    const lease = world.server.get('coordination.k8s.io/v1', 'Lease', NAMESPACE, LEASE);
    expect(lease).toMatchObject({ spec: { holderIdentity: '' } });
  });
}

/** A folder with the plain overlay and one component more. */
async function overlayWith(component: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-overlay-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const below = (path: string): string => relative(folder, join(manifests, path));
  const kustomization = {
    resources: [below('overlays/namespaced')],
    components: [below(component)],
  };
  await writeFile(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
  return folder;
}
