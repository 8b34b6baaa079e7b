/**
 * The targets of Dockerfile.operator, built: each has the package of its command; in those for programs apt has run, and
 * programs find what they call.
 *
 * @module-tag buildah
 * @module-tag debootstrap
 * @module-tag unshare
 * @module-tag setpriv
 */
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { BUILD_TIMEOUT_MS, buildImage, buildTarget } from './support/build-image.ts';
import { filesBelow } from './support/files-below.ts';
import { runInRoot } from './support/in-root.ts';

test(
  'the hooks image has bash, jq, curl and Node on the PATH, and runs as an unprivileged user',
  async () => {
    const image = await buildTarget('hooks');
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

test.each([
  ['hooks', ['@chancery/hooks', 'croner', 'jq-web']],
  ['metacontroller', ['@chancery/metacontroller']],
  ['certificates', ['@chancery/certificates', '@peculiar/utils', 'asn1js']],
] as const)(
  "the image %s contains everything that the operators' image contains, and also %j",
  async (target, packages) => {
    const [image, operator] = [await buildTarget(target), await buildImage('Dockerfile.operator')];

    const filesOf = async (rootfs: string): Promise<Set<string>> => {
      const files = await filesBelow(join(rootfs, 'app'));
      return new Set(files.map(({ path, size }) => `${path} ${size}`));
    };
    const [found, toolkit] = [await filesOf(image.rootfs), await filesOf(operator.rootfs)];
    const added = without(found, toolkit).map(
      (file) => /^\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? file,
    );
    expect(toolkit.size).toBeGreaterThan(100);
    expect(without(toolkit, found)).toEqual([]);
    expect([...new Set(added)].toSorted()).toEqual(packages);
    expect([...found].filter((file) => /\.d\.[cm]?ts |\.map /.test(file))).toEqual([]);
  },
  BUILD_TIMEOUT_MS,
);

test.each(['hooks', 'metacontroller'] as const)(
  'the image %s contains no package lists of apt',
  async (target) => {
    const { rootfs } = await buildTarget(target);

    expect(await readdir(join(rootfs, 'var/lib/apt/lists'))).toEqual([]);
  },
  BUILD_TIMEOUT_MS,
);

test(
  'the command of the certificates image is `chancery certificates`, and the image has no shell',
  async () => {
    const image = await buildTarget('certificates');

    const ended = await runInRoot(image, { args: [...image.config.Cmd, '--help'] });

    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain('chancery certificates');
    const paths = (await filesBelow(image.rootfs)).map(({ path }) => path);
    expect(paths.filter((path) => /\/(sh|bash|dash|busybox|npm)$/.test(path))).toEqual([]);
  },
  BUILD_TIMEOUT_MS,
);

test(
  'the hooks image accepts a hook with a jq filter and a schedule',
  async () => {
    const image = await buildTarget('hooks');
    const folder = await programs({ 'report.sh': HOOK });

    const ended = await runInRoot(image, {
      args: [...image.config.Cmd, '--check'],
      mounts: { '/hooks': folder },
    });

    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toMatchObject({ hook: 'report.sh' });
  },
  BUILD_TIMEOUT_MS,
);

test(
  'the Metacontroller image accepts a file of functions in which a program implements one function',
  async () => {
    const image = await buildTarget('metacontroller');
    const folder = await programs({
      'greeting.sh': '#!/bin/bash\necho "{}"\n',
      'functions.yaml': FUNCTIONS,
    });

    const ended = await runInRoot(image, {
      args: [...image.config.Cmd, '--functions=/functions/functions.yaml', '--check'],
      mounts: { '/functions': folder },
    });

    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain('greeting.sh');
  },
  BUILD_TIMEOUT_MS,
);

const without = (files: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] =>
  [...files].filter((file) => !others.has(file));

const HOOK = `#!/bin/bash
[ "$1" = --config ] && cat <<'EOF'
configVersion: v1
kubernetes:
  - kind: ConfigMap
    apiVersion: v1
    jqFilter: .data | keys
schedule:
  - crontab: "*/5 * * * *"
EOF
`;

const FUNCTIONS = `- kind: CompositeController
  name: greeting
  sync: { exec: [./greeting.sh] }
`;

/** A folder with these files, which the user of the image reads and starts. */
async function programs(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-programs-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text, { mode: 0o755 });
  }
  await chmod(folder, 0o755);
  return folder;
}

/** Run by the Node of the runner: starts a program that looks at it, and at the first process. */
const LOOK = `
  const { spawnSync } = require('node:child_process');
  const look = (pid) => 'for file in environ mem maps; do { : < /proc/' + pid + '/$file; } 2> /dev/null && echo $file; done; ls /proc/' +
    pid + '/fd > /dev/null 2>&1 && echo fd; true';
  const open = (pid) => spawnSync('/bin/bash', ['-c', look(pid)], { encoding: 'utf8' }).stdout.trim().split('\\n');
  console.log(JSON.stringify({ init: open('1'), runner: open('$PPID'), itself: open('$$') }));
`;

test(
  '[found 4] in the image runner and init are unreadable, so that Linux hides their processes from hooks',
  async () => {
    const image = await buildTarget('hooks');
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
