/**
 * The target `hooks` of Dockerfile.operator, built: apt has run in it, and hooks find what they call.
 *
 * @module-tag buildah
 * @module-tag debootstrap
 * @module-tag unshare
 * @module-tag setpriv
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { BUILD_TIMEOUT_MS, buildHooks, buildImage } from './support/build-image.ts';
import { filesBelow } from './support/files-below.ts';
import { runInRoot } from './support/in-root.ts';

test(
  'the image of hooks has bash, jq, curl and Node where hooks find them, and runs as a user that is nobody special',
  async () => {
    const image = await buildHooks();
    const script = `for tool in bash jq curl node; do command -v "$tool" && "$tool" --version > /dev/null; done
      id -u; touch /hooks-were-here || true`;

    const ended = await runInRoot(image, { command: ['/bin/bash', '-c', script], args: [] });

    expect(ended.stdout.trim().split('\n')).toEqual([
      '/usr/bin/bash',
      '/usr/bin/jq',
      '/usr/bin/curl',
      '/usr/local/bin/node',
      '65532',
    ]);
    expect(ended.stderr).toMatch(/^touch: cannot touch '\/hooks-were-here': [^\n]*\n$/);
    process.stdout.write(
      `Dockerfile.operator, target hooks: ${(image.size / 1e6).toFixed(1)} MB, built in ${(image.buildMs / 1e3).toFixed(1)} s\n`,
    );
  },
  BUILD_TIMEOUT_MS,
);

test(
  'the image of hooks runs the same build of the toolkit as the image of operators, and apt has left no lists in it',
  async () => {
    const [hooks, operator] = [await buildHooks(), await buildImage('Dockerfile.operator')];

    const toolkit = async (rootfs: string): Promise<readonly string[]> => {
      const files = await filesBelow(join(rootfs, 'app'));
      return files.map(({ path, size }) => `${path} ${size}`);
    };
    expect(await toolkit(hooks.rootfs)).toEqual(await toolkit(operator.rootfs));
    expect(await readdir(join(hooks.rootfs, 'var/lib/apt/lists'))).toEqual([]);
  },
  BUILD_TIMEOUT_MS,
);
