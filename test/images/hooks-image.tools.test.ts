/**
 * The target `hooks` of Dockerfile.operator, built: apt has run in it, and hooks find what they call.
 *
 * @module-tag buildah
 * @module-tag debootstrap
 * @module-tag unshare
 * @module-tag setpriv
 */
import process from 'node:process';
import { expect, test } from 'vitest';
import { BUILD_TIMEOUT_MS, buildHooks, buildImage } from './support/build-image.ts';
import { runInRoot } from './support/in-root.ts';

test(
  'the image of hooks has bash, jq, curl and Node for hooks, and the same toolkit as the image of operators',
  async () => {
    const operator = await buildImage('Dockerfile.operator');
    process.stdout.write(`operator built in ${(operator.buildMs / 1e3).toFixed(1)} s\n`);
    const image = await buildHooks();
    process.stdout.write(
      `Dockerfile.operator, target hooks: ${(image.size / 1e6).toFixed(1)} MB, built in ${(image.buildMs / 1e3).toFixed(1)} s\n`,
    );
    const script = 'for tool in bash jq curl node tini; do command -v "$tool"; done; id -u';

    const ended = await runInRoot(image, { command: ['/bin/sh', '-c', script], args: [] });

    expect(ended.stdout.trim().split('\n')).toEqual([
      '/usr/bin/bash',
      '/usr/bin/jq',
      '/usr/bin/curl',
      '/usr/local/bin/node',
      '/usr/bin/tini',
      '65532',
    ]);
  },
  BUILD_TIMEOUT_MS,
);
