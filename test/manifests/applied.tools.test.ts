/**
 * What the API server says to the manifests, applied as the README says: by kubectl, from the server's side.
 *
 * @module-tag kubectl
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { ApiServer } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { operatorManifests } from '../../operator/generate/manifests/operator-manifests.ts';
import { pathOf } from '../tools/tools.ts';
import { OVERLAYS } from './support/overlays.ts';
import { only, podSpec, render, renderText } from './support/rendered.ts';
import { CONFIG_RESTART, options, overlay, written } from './support/trees.ts';

/** Of other projects. */
const DEFINITIONS = ['pod-monitors', 'prometheus-rules', 'cert-manager'].map((name) =>
  readFileSync(new URL(`support/${name}.yaml`, import.meta.url), 'utf8'),
);

async function startServer(): Promise<ApiServer> {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  for (const manifest of DEFINITIONS) server.applyManifest(manifest);
  return server;
}

interface Applied {
  readonly exitCode: number | null;
  readonly lines: readonly string[];
  readonly errors: string;
}

async function apply(server: ApiServer, manifest: string): Promise<Applied> {
  const words = ['apply', '--server-side', '--validate=strict', '-f', '-'];
  const child = spawn(pathOf('kubectl'), [`--server=${server.url}`, ...words], {
    env: { HOME: '/nonexistent', KUBECONFIG: '/dev/null' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(manifest);
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, 'exit');
  return { exitCode: child.exitCode, lines: out.trimEnd().split('\n'), errors };
}

test.each(
  OVERLAYS,
)('the API server accepts the overlay $overlay as a whole, and a second apply changes nothing', async ({
  overlay: folder,
}) => {
  const server = await startServer();
  const objects = await render(folder);
  const manifest = await renderText(folder);

  const first = await apply(server, manifest);
  const second = await apply(server, manifest);

  expect([first.errors, first.exitCode, first.lines.length]).toEqual(['', 0, objects.length]);
  expect([second.errors, second.exitCode]).toEqual(['', 0]);
  const { metadata } = only(objects, 'Deployment');
  const stored = server.get('apps/v1', 'Deployment', metadata.namespace, metadata.name);
  expect(stored?.metadata).toMatchObject({ generation: 1 });
  expect(podSpec([{ ...stored, kind: 'Deployment' } as never])).toMatchObject(podSpec(objects));
});

test.each([
  ['a network policy without addresses', ['namespaced', 'network-policy'], 'NetworkPolicy'],
  ['native-sidecar before the scope', ['native-sidecar', 'namespaced'], 'Deployment'],
])('the API server refuses the object %s', async (_what, components, kind) => {
  const server = await startServer();
  const folder = await written([
    ...operatorManifests(CONFIG_RESTART.controllers, options()),
    overlay('mine', components),
  ]);

  const { exitCode, errors } = await apply(server, await renderText(`${folder}/mine`));

  expect(exitCode).toBe(1);
  expect(errors).toContain(`The ${kind} "config-restart" is invalid`);
});
