/**
 * The target `hooks` of Dockerfile.operator, built: apt has run in it, and hooks find what they call.
 *
 * @module-tag buildah
 * @module-tag debootstrap
 * @module-tag unshare
 * @module-tag setpriv
 */
import { readdir, stat } from 'node:fs/promises';
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

/** Run by the Node of the runner: starts a program that looks at it, and at the first process. */
const LOOK = `
  const { spawnSync } = require('node:child_process');
  const look = (pid) => 'for file in environ mem maps; do { : < /proc/' + pid + '/$file; } 2> /dev/null && echo $file; done; ls /proc/' +
    pid + '/fd > /dev/null 2>&1 && echo fd; true';
  const open = (pid) => spawnSync('/bin/bash', ['-c', look(pid)], { encoding: 'utf8' }).stdout.trim().split('\\n');
  console.log(JSON.stringify({ init: open('1'), runner: open('$PPID'), itself: open('$$') }));
`;

test(
  '[found 4] runner and init of the image cannot be read, so that Linux closes them to hooks; the Node of hooks can',
  async () => {
    const image = await buildHooks();
    const { Entrypoint } = image.config;
    const program = Entrypoint.findIndex((word) => word.endsWith('/node'));
    const run = Entrypoint.slice(0, program + 1);

    const { stdout } = await runInRoot(image, {
      // The tool that starts it still has its capabilities, which a container runtime has dropped by then.
      command: ['/bin/bash', '-c', 'exec "$@"', 'bash', ...run],
      args: ['-e', LOOK],
    });
    const modes = await Promise.all(
      [...run.filter((word) => word.startsWith('/')), '/usr/local/bin/node'].map(
        async (path) => (await stat(join(image.rootfs, path))).mode & 0o777,
      ),
    );

    expect(JSON.parse(stdout)).toEqual({
      init: [''],
      runner: [''],
      itself: ['environ', 'mem', 'maps', 'fd'],
    });
    expect(modes).toEqual([0o111, 0o111, 0o755]);
  },
  BUILD_TIMEOUT_MS,
);
