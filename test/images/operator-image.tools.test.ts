/**
 * Dockerfile.operator, built: what is in the image, and what it runs as a container.
 *
 * @module-tag buildah
 * @module-tag kubectl
 * @module-tag unshare
 * @module-tag setpriv
 */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { containerNamed, podSpec, render } from '../manifests/support/rendered.ts';
import { BUILD_TIMEOUT_MS, buildImage, deriveImage } from './support/build-image.ts';
import { filesBelow } from './support/files-below.ts';
import { runInRoot } from './support/in-root.ts';
import { lockedPackages } from './support/locked-packages.ts';

const OPERATOR = `import { controller } from 'chancery';
import { NAME } from './name.ts';

export default controller({
  name: NAME,
  for: { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', scope: 'Namespaced' },
  reconcile: async () => ({}),
});
`;

test(
  "[security 26] the operator's image has the toolkit and config-restart, and no npm, shell or test kit",
  async () => {
    const image = await buildImage('Dockerfile.operator');

    const paths = (await filesBelow(image.rootfs)).map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        '/app/dist/operator/cli/main.js',
        '/app/package.json',
        '/examples/config-restart/operator.ts',
        '/operators/operator.ts',
      ]),
    );
    expect(
      paths.filter((path) => /\/(npm|npx|corepack|yarn|pnpm|sh|bash|dash|busybox)$/.test(path)),
    ).toEqual([]);
    expect(
      paths.filter((path) => /\/operator\/testing(\/|\.)|\.d\.[cm]?ts$|\.map$/.test(path)),
    ).toEqual([]);
    const native = paths.filter((path) => path.startsWith('/app/') && path.endsWith('.node'));
    expect(native).toEqual([]); // or one build would not do for every architecture
    say(
      `Dockerfile.operator: ${(image.size / 1e6).toFixed(1)} MB, built in ${(image.buildMs / 1e3).toFixed(1)} s`,
    );
  },
  BUILD_TIMEOUT_MS,
);

test(
  "[security 24] the operator's image has the toolkit's dependencies in the locked versions",
  async () => {
    const { rootfs } = await buildImage('Dockerfile.operator');

    const found = await installed(join(rootfs, 'app/node_modules'));
    const locked = await lockedPackages();
    expect(found).toEqual(locked.map(({ name, version }) => `${name}@${version}`).toSorted());
  },
  BUILD_TIMEOUT_MS,
);

test(
  "the files of the operator's image belong to root, and only root can write them",
  async () => {
    const { rootfs } = await buildImage('Dockerfile.operator');

    const files = await filesBelow(join(rootfs, 'app'));
    expect(files.filter(({ uid, mode }) => uid !== 0 || (mode & 0o022) !== 0)).toEqual([]);
  },
  BUILD_TIMEOUT_MS,
);

test(
  "the operator in the manifests runs from the image, with a read-only root, as the image's user",
  async () => {
    const image = await buildImage('Dockerfile.operator');
    const operator = containerNamed(podSpec(await render('manifests/base')), 'operator');

    const ended = await runInRoot(image, { args: [...(operator.args ?? []), '--check'] });

    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toMatchObject({ controller: 'config-restart' });
    const { runAsUser, runAsGroup } = operator.securityContext ?? {};
    expect(image.config.User).toBe('65532:65532');
    expect(`${runAsUser}:${runAsGroup}`).toBe('65532:65532');
  },
  BUILD_TIMEOUT_MS,
);

test(
  'a process in the image has no privileges and no writable files',
  async () => {
    const image = await buildImage('Dockerfile.operator');
    const [node = ''] = image.config.Entrypoint;
    const script = `
      const lines = fs.readFileSync('/proc/self/status', 'utf8').split('\\n');
      const status = Object.fromEntries(lines.map((line) => line.split(':').map((part) => part.trim())));
      const writes = ['/x', '/app/x', '/operators/x', '/tmp/x'].map((path) => {
        try { fs.writeFileSync(path, ''); return 'written'; } catch (error) { return error.code; }
      });
      const { Uid, Groups, CapEff, NoNewPrivs } = status;
      console.log(JSON.stringify({ Uid, Groups, CapEff, NoNewPrivs, writes }));`;

    const ended = await runInRoot(image, { command: [node, '-e', script], args: [] });

    expect(JSON.parse(ended.stdout)).toEqual({
      Uid: '65532\t65532\t65532\t65532',
      Groups: '',
      CapEff: '0000000000000000',
      NoNewPrivs: '1',
      writes: ['EROFS', 'EROFS', 'EROFS', 'ENOENT'],
    });
  },
  BUILD_TIMEOUT_MS,
);

test(
  'an image without an operator module prints where to put one',
  async () => {
    const image = await buildImage('Dockerfile.operator');

    const ended = await runInRoot(image);

    expect(image.config.Cmd).toEqual(['/operators/operator.ts']);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('this image brings no operator of its own');
    expect(ended.stderr).toContain('/examples/config-restart/operator.ts');
  },
  BUILD_TIMEOUT_MS,
);

test(
  'a Dockerfile of two lines creates an image with another operator',
  async () => {
    const context = await folder();
    await writeFile(join(context, 'operator.ts'), OPERATOR);
    await writeFile(join(context, 'name.ts'), "export const NAME = 'derived';\n");
    const dockerfile = join(await folder(), 'Dockerfile');
    await writeFile(dockerfile, 'FROM localhost/chancery-operator\nCOPY *.ts /operators/\n');

    const image = await deriveImage(dockerfile, context);
    const ended = await runInRoot(image, { args: [...image.config.Cmd, '--check'] });

    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toMatchObject({ controller: 'derived' });
  },
  BUILD_TIMEOUT_MS,
);

test(
  'a module mounted from a ConfigMap runs, and can import files from the same folder',
  async () => {
    const image = await buildImage('Dockerfile.operator');
    const volume = await configMapVolume({
      'operator.ts': OPERATOR,
      'name.ts': "export const NAME = 'mounted';\n",
    });

    const ended = await runInRoot(image, {
      args: [...image.config.Cmd, '--check'],
      mounts: { '/operators': volume },
    });

    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toMatchObject({ controller: 'mounted' });
  },
  BUILD_TIMEOUT_MS,
);

test.each([
  ['apiserver', '@chancery/testing', ['apiserver']],
  ['hooks', '@chancery/hooks', ['hooks', '/operators']],
  ['metacontroller', '@chancery/metacontroller', ['metacontroller']],
  ['check crd', '@chancery/packaging', ['check', 'crd', '-']],
])(
  '`chancery %s` in the image says that the package %s is missing',
  async (words, name, args) => {
    const image = await buildImage('Dockerfile.operator');
    const command = image.config.Entrypoint.slice(0, -1); // without `run`

    const ended = await runInRoot(image, { command, args });

    expect(ended.code).toBe(2);
    const said = `chancery ${words} needs the package ${name}, which is not installed; run npm install `;
    expect(ended.stderr).toMatch(/^[^\n]+\n$/);
    expect(ended.stderr).toContain(said);
  },
  BUILD_TIMEOUT_MS,
);

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'chancery-operator-'));
  await chmod(path, 0o755); // the image's user reads it
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

/** As the kubelet lays a ConfigMap out: each name a link, through a link to the folder of the day. */
async function configMapVolume(files: Readonly<Record<string, string>>): Promise<string> {
  const volume = await folder();
  const day = '..2026_11_21_12_00_00.123456789';
  await mkdir(join(volume, day));
  await symlink(day, join(volume, '..data'));
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(volume, day, name), text, { mode: 0o644 });
    await symlink(join('..data', name), join(volume, name));
  }
  return volume;
}

/** `name@version` of every package below a folder. */
async function installed(modules: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(modules, { recursive: true })) {
    if (!/(^|\/)(@[^/]+\/)?[^/@]+\/package\.json$/.test(entry)) continue;
    if (!/^((@[^/]+\/)?[^/]+\/node_modules\/)*(@[^/]+\/)?[^/]+\/package\.json$/.test(entry))
      continue;
    const { name, version } = JSON.parse(await readFile(join(modules, entry), 'utf8'));
    found.push(`${name}@${version}`);
  }
  return found.toSorted();
}

/** In the output of the run, for who reads it. */
function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
