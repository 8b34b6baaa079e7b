/**
 * Dockerfile.proxy, built: what is in the image, and what it does as a container.
 *
 * @module-tag buildah
 * @module-tag kubectl
 * @module-tag unshare
 * @module-tag setpriv
 */
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { operatorManifests } from '../../operator/generate/manifests/operator-manifests.ts';
import { readLock } from '../../proxy/kubectl-lock.ts';
import { containerNamed, podSpec, render } from '../manifests/support/rendered.ts';
import { CONFIG_RESTART, options, written } from '../manifests/support/trees.ts';
import {
  BUILD_TIMEOUT_MS,
  buildImage,
  buildProxyAgain,
  buildStock,
} from './support/build-image.ts';
import { filesBelow } from './support/files-below.ts';
import { runInRoot } from './support/in-root.ts';

test(
  "[security 26] the ambassador's image has one file, kubectl, which root owns and nobody else may write",
  async () => {
    const image = await buildImage('Dockerfile.proxy');

    const files = await filesBelow(image.rootfs);
    expect(files).toEqual([{ path: '/kubectl', mode: 0o555, uid: 0, size: image.size }]);
    say(`Dockerfile.proxy: ${megabytes(image.size)}, built in ${seconds(image.buildMs)}`);
    expect(image.size).toBeLessThan(80e6);
  },
  BUILD_TIMEOUT_MS,
);

test(
  "the ambassador's image sets a user, an entry point and a version label, and has no CMD",
  async () => {
    const { config } = await buildImage('Dockerfile.proxy');

    expect(config.User).toBe('65531:65531');
    expect(config.Entrypoint.slice(0, 2)).toEqual(['/kubectl', 'proxy']);
    expect(config.Entrypoint).toContain('--accept-paths=');
    expect(config.Cmd).toEqual([]);
    expect(config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'chancery-proxy',
      'chancery.kubectl.version': (await readLock()).version,
    });
  },
  BUILD_TIMEOUT_MS,
);

test(
  'images of the ambassador that are built from the same kubectl are identical',
  async () => {
    const first = await buildImage('Dockerfile.proxy');

    const second = await buildProxyAgain();

    expect(second.rootfs).not.toBe(first.rootfs);
    expect(second.id).toBe(first.id);
  },
  BUILD_TIMEOUT_MS,
);

test(
  "kubectl runs as the image's user in a read-only root filesystem that contains no other file",
  async () => {
    const image = await buildImage('Dockerfile.proxy');

    const version = await runInRoot(image, {
      command: ['/kubectl', 'version', '--client'],
      args: [],
    });
    const badFlag = await runInRoot(image, { args: ['--accept-paths=('] });

    expect(version).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Client Version: v1.'),
    });
    expect(badFlag.code).not.toBe(0);
    expect(badFlag.stderr).toContain('error parsing regexp');
  },
  BUILD_TIMEOUT_MS,
);

test(
  '[I-5] the command of a Deployment finds kubectl on the PATH of an image with another entry point',
  async () => {
    const image = await buildStock();
    const images = { ambassador: 'registry.example/kubectl:1', operator: 'operator:1' };
    const folder = await written(
      operatorManifests(CONFIG_RESTART.controllers, options({ images })),
    );
    const proxy = containerNamed(
      podSpec(await render(join(folder, 'overlays/namespaced'))),
      'proxy',
    );
    const { runAsUser, runAsGroup } = proxy.securityContext ?? {};
    const asUser = { ...image, config: { ...image.config, User: `${runAsUser}:${runAsGroup}` } };

    const ended = await runInRoot(asUser, {
      command: proxy.command as readonly string[],
      args: [...(proxy.args ?? []), '--accept-paths=('],
    });

    expect(image.config.Entrypoint).toEqual(['/bin/sh']);
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain('error parsing regexp');
  },
  BUILD_TIMEOUT_MS,
);

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function seconds(ms: number): string {
  return `${(ms / 1e3).toFixed(1)} s`;
}

/** In the output of the run, for who reads it. */
function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
