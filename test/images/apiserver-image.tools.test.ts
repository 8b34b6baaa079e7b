/**
 * Dockerfile.apiserver, built: what is in the image, and that it serves from a read-only root.
 *
 * @module-tag buildah
 * @module-tag unshare
 * @module-tag setpriv
 */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { folderWith } from '../cli/child.ts';
import { BUILD_TIMEOUT_MS, buildImage } from './support/build-image.ts';
import { filesBelow } from './support/files-below.ts';
import { runInRoot } from './support/in-root.ts';

test(
  "the API server's image has only the toolkit, the test kit and their dependencies",
  async () => {
    const image = await buildImage('Dockerfile.apiserver');

    const paths = (await filesBelow(image.rootfs)).map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        '/app/dist/operator/cli/main.js',
        '/app/node_modules/@chancery/testing/dist/kubernetes.json',
        '/app/node_modules/croner/package.json',
      ]),
    );
    expect(paths.filter((path) => /\/(?:npm|npx|sh|bash|dash|busybox)$/.test(path))).toEqual([]);
    const unwanted = /\/@chancery\/(?!testing\/)|\.d\.[cm]?ts$|\.map$|^\/app\/.*\.node$/;
    expect(paths.filter((path) => unwanted.test(path))).toEqual([]);
    const size = (image.size / 1e6).toFixed(1);
    process.stdout.write(
      `Dockerfile.apiserver: ${size} MB, built in ${(image.buildMs / 1e3).toFixed(1)} s\n`,
    );
  },
  BUILD_TIMEOUT_MS,
);

test(
  "the files of the image's programs belong to root, and only root can write them",
  async () => {
    const { rootfs, config } = await buildImage('Dockerfile.apiserver');

    const files = await filesBelow(join(rootfs, 'app'));
    expect(files.filter(({ uid, mode }) => uid !== 0 || (mode & 0o022) !== 0)).toEqual([]);
    expect(config.User).toBe('65532:65532');
  },
  BUILD_TIMEOUT_MS,
);

test(
  'with a read-only root the image serves mounted manifests on all addresses, and stops cleanly',
  async () => {
    const image = await buildImage('Dockerfile.apiserver');
    const [node = '', ...words] = image.config.Entrypoint;
    const folder = folderWith({ 'a.yaml': MANIFEST });
    chmodSync(folder, 0o755); // the image's user reads it
    const script = `
      const { spawn } = require('node:child_process');
      const words = ${JSON.stringify([...words, '--port', '0', '-f', '/manifests'])};
      const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
      child.stdout.once('data', async (line) => {
        const url = String(line).trim();
        const path = '/api/v1/namespaces/default/configmaps/mounted';
        const found = await (await fetch(url + path)).json();
        child.once('exit', (code) => console.log(JSON.stringify({ url, data: found.data, code })));
        child.kill('SIGTERM');
      });`;

    const ended = await runInRoot(image, {
      command: [node, '-e', script],
      args: [],
      mounts: { '/manifests': folder },
    });

    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      data: { k: 'v' },
      code: 0,
    });
    expect(ended.stderr).toContain('every client that reaches 0.0.0.0 may do everything, because');
  },
  BUILD_TIMEOUT_MS,
);

const MANIFEST = `apiVersion: v1
kind: ConfigMap
metadata: { name: mounted, namespace: default }
data: { k: v }
`;
