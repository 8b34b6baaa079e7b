/**
 * Dockerfile.operator without a builder: its last stage laid out in a folder, its entry point run there.
 * What the stages before it install and compile comes from this checkout.
 */
import { execFile } from 'node:child_process';
import { cp, glob, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { containerNamed, podSpec, render } from './support/rendered.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../', import.meta.url));
const dockerfile = await readFile(join(repository, 'Dockerfile.operator'), 'utf8');
const buildStage = dockerfile.slice(dockerfile.indexOf(' AS build\n'));
const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

/** Lays the image out below a new folder; resolves to that. */
async function layOut(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'chancery-image-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [, , from = '', to = ''] of lastStage.matchAll(/^COPY (--from=\S+ )?(\S+) (\S+)$/gm)) {
    await mkdir(dirname(join(root, to)), { recursive: true });
    if (from === '/src/dist') {
      await compile(join(root, to));
      await strip(join(root, to));
    } else if (from.startsWith('/src/'))
      await symlink(join(repository, from.slice(5)), join(root, to));
    else await cp(join(repository, from), join(root, to), { recursive: true, filter: isInContext });
  }
  return root;
}

/** As .dockerignore has it. */
function isInContext(path: string): boolean {
  return !path.startsWith(join(repository, 'examples/config-restart/test'));
}

/** Emits; whether the types are right is for `npm run check` to say. */
async function compile(target: string): Promise<void> {
  const compiler = join(repository, 'node_modules/.bin/tsc');
  await run(
    process.execPath,
    [compiler, '-p', 'tsconfig.build.json', '--noCheck', '--outDir', target],
    {
      cwd: repository,
    },
  );
}

/** What the build takes away from what it has compiled. */
async function strip(target: string): Promise<void> {
  const [, removed = ''] = /^RUN rm -rf (.*)$/m.exec(buildStage) ?? [];
  for (const path of removed.replaceAll(/\bdist\//g, `${target}/`).split(' ')) {
    for await (const found of glob(path)) await rm(found, { recursive: true });
  }
}

/** The JSON array of ENTRYPOINT or CMD, with its paths below `root`. */
function command(instruction: string, root: string): string[] {
  const [, json = '[]'] = new RegExp(`^${instruction} (\\[.*\\])$`, 'm').exec(lastStage) ?? [];
  const words = JSON.parse(json) as string[];
  return words.map((word) => (word.startsWith('/') ? join(root, word) : word));
}

test('the image has what config-restart needs, starts it when nothing else is named, and has no test kit', async () => {
  const root = await layOut();
  const [program, ...entry] = command('ENTRYPOINT', root);

  const args = [...entry, ...command('CMD', root), '--check'];
  const { stdout } = await run(process.execPath, args, { cwd: root, env: {} });

  expect(program).toBe('node');
  expect(JSON.parse(stdout)).toMatchObject({ controller: 'config-restart' });

  const [main = ''] = entry;
  const apiserver = run(process.execPath, [main, 'apiserver'], { cwd: root, env: {} });
  await expect(apiserver).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^chancery apiserver: this installation has no API server: .*\n$/,
    ),
  });
}, 60_000);

test('the image runs as the user that the manifests give the operator', async () => {
  const { securityContext } = containerNamed(podSpec(await render('manifests/base')), 'operator');

  const [, uid, gid] = /^USER (\d+):(\d+)$/m.exec(lastStage) ?? [];
  expect({ runAsUser: Number(uid), runAsGroup: Number(gid) }).toEqual({
    runAsUser: securityContext?.runAsUser,
    runAsGroup: securityContext?.runAsGroup,
  });
});

test.each([
  'Dockerfile.operator',
  'Dockerfile.proxy',
])('%s takes only images by digest', async (file) => {
  const text = await readFile(join(repository, file), 'utf8');
  const stages = [...text.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name);
  const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base ?? '');

  const foreign = bases.filter((base) => base !== 'scratch' && !stages.includes(base));
  expect(foreign).toHaveLength(1);
  expect(foreign[0]).toMatch(/@\$\{[A-Z]+_DIGEST:\?[^ }]+\}$/);
  expect(text).not.toMatch(/^ARG [A-Z]+_DIGEST=/m);
});
