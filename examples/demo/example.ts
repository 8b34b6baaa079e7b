import { readdir, readFile } from 'node:fs/promises';
import type { ApiServer } from '@chancery/testing';

export const NAMESPACE = 'demo';

const CONFIG_RESTART = new URL('../config-restart/', import.meta.url);

/** Makes the namespace and the custom resources of config-restart. */
export async function prepare(server: ApiServer): Promise<void> {
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  for (const crd of await readdir(new URL('crds/', CONFIG_RESTART))) {
    server.applyManifest(await readFile(new URL(`crds/${crd}`, CONFIG_RESTART), 'utf8'));
  }
}

/** Applies the sample web app, as `kubectl -n demo apply -f` does. */
export async function applySample(server: ApiServer): Promise<void> {
  const sample = await readFile(new URL('sample/web-app.yaml', CONFIG_RESTART), 'utf8');
  // The sample names no namespace, as samples do; `kubectl -n` would say it.
  server.applyManifest(
    sample.replaceAll(/^metadata:\n/gm, `metadata:\n  namespace: ${NAMESPACE}\n`),
  );
}
