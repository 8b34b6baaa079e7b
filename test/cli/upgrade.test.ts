/** `chancery upgrade`: a project made by one version, changed as users change it, and moved to the next. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { command } from '../../operator/cli/table-command.ts';
import { scaffoldOf } from '../../operator/cli/upgrade/scaffold.ts';
import { UPGRADE } from '../../operator/cli/upgrade/table.ts';
import { type Release, upgrade } from '../../operator/cli/upgrade/upgrade.ts';
import { VERSION } from '../../operator/core/version.ts';
import { newProject, type Project, textsBelow } from '../scaffold/support/project.ts';
import { folderWith } from './child.ts';
import { invoke } from './invocation.ts';

type Change = (text: string) => string;

/** The version after this one: this version's files, with changed texts. Undefined: it does not write the file. */
function nextRelease(changes: Readonly<Record<string, Change | undefined>>): Release {
  return {
    version: '0.2.0',
    scaffoldOf: (...args) => {
      const files = { ...scaffoldOf(...args) };
      for (const [path, change] of Object.entries(changes)) {
        if (change === undefined) delete files[path];
        else files[path] = change(files[path] ?? '');
      }
      return files;
    },
  };
}

function git(folder: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' });
}

function commit(folder: string): void {
  git(folder, 'init', '--quiet');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'all');
}

const textOf = (folder: string, path: string): string => readFileSync(join(folder, path), 'utf8');

function edit(folder: string, path: string, change: Change): void {
  writeFileSync(join(folder, path), change(textOf(folder, path)));
}

interface Upgraded {
  readonly code: number;
  /** By path: what the report says. */
  readonly outcomes: Readonly<Record<string, string>>;
  readonly said: string;
  readonly printed: string;
}

/** Upgrades a project whose changes are committed before, unless `isDirty`. */
async function upgraded(
  folder: string,
  release: Release,
  options: readonly string[] = [],
): Promise<Upgraded> {
  const next = command(UPGRADE, async () => (given, io) => upgrade(given, io, release));
  const { exit, stdout, stderr } = invoke(['upgrade', folder, ...options], {
    commands: [next],
    env: { PATH: process.env.PATH ?? '' },
  });
  const code = await exit;
  const rows = stdout.lines.flatMap((line) => {
    const [, outcome = '', path = ''] = /^([a-z ]+) (\/.*)$/.exec(line) ?? [];
    return outcome === '' ? [] : [[path.slice(folder.length + 1), outcome] as const];
  });
  return {
    code,
    outcomes: Object.fromEntries(rows),
    said: stderr.lines.join('\n'),
    printed: stdout.lines.join('\n'),
  };
}

async function committedProject(
  change: (project: Project) => void | Promise<void> = () => {},
): Promise<string> {
  const project = await newProject('demo');
  await change(project);
  commit(project.folder);
  return project.folder;
}

const RAISED: Change = (text) =>
  text.replaceAll(`"^${VERSION}"`, '"^0.2.0"').replace(/("typescript": )"[^"]*"/, '$1"^8.0.0"');

test("`upgrade` merges the changes of the new version into each file, and keeps the user's changes", async () => {
  const folder = await committedProject(({ folder }) => {
    edit(folder, 'src/demo.ts', (text) => text.replace('maximum: 100', 'maximum: 9'));
    edit(folder, 'README.md', (text) => `${text}\nAsk Ada.\n`);
    edit(folder, '.gitignore', (text) => `${text}/secrets\n`);
    rmSync(join(folder, '.npmrc'));
  });

  const { code, outcomes, said } = await upgraded(
    folder,
    nextRelease({
      Dockerfile: (text) => `# next\n${text}`,
      'src/demo.ts': (text) => `// next\n${text}`,
      'README.md': (text) => text.replace('npm run dev', 'npm run next'),
      'EXTRA.md': () => 'extra\n',
      '.npmrc': (text) => `; next\n${text}`,
      'samples/demo.yaml': undefined,
    }),
  );

  expect(code).toBe(0);
  expect(outcomes).toEqual({
    '.devcontainer/devcontainer.json': 'left',
    '.dockerignore': 'left',
    '.github/workflows/ci.yml': 'left',
    '.gitignore': 'left',
    '.npmrc': 'deleted by you',
    'AGENTS.md': 'left',
    Dockerfile: 'updated',
    'EXTRA.md': 'added',
    'README.md': 'merged',
    'package.json': 'left',
    'samples/demo.yaml': 'removed',
    'src/demo.test.ts': 'left',
    'src/demo.ts': 'merged',
    'src/operator.ts': 'left',
    'tsconfig.json': 'left',
  });
  expect(textOf(folder, 'src/demo.ts')).toMatch(/^\/\/ next\n[\s\S]*maximum: 9\b/);
  expect(textOf(folder, 'README.md')).toMatch(/npm run next[\s\S]*\nAsk Ada\.\n$/);
  expect(textOf(folder, 'EXTRA.md')).toBe('extra\n');
  expect(git(folder, 'status', '--porcelain').trimEnd().split('\n').sort()).toEqual([
    ' D samples/demo.yaml',
    ' M .chancery.json',
    ' M Dockerfile',
    ' M README.md',
    ' M src/demo.ts',
    '?? EXTRA.md',
  ]);
  expect(said).toContain(
    `demo went from ${VERSION} to 0.2.0: 1 added, 1 updated, 2 merged, 1 removed, 9 left, 1 deleted by you.`,
  );
});

test('a second upgrade to the same version changes nothing', async () => {
  const folder = await committedProject(({ folder }) => {
    edit(folder, 'README.md', (text) => `${text}\nAsk Ada.\n`);
    rmSync(join(folder, '.npmrc'));
  });
  const release = nextRelease({
    'README.md': (text) => `next\n${text}`,
    'EXTRA.md': () => 'extra\n',
    '.npmrc': () => 'next\n',
  });
  await upgraded(folder, release);
  commit(folder);

  const { code, outcomes } = await upgraded(folder, release);

  expect(code).toBe(0);
  const { '.npmrc': npmrc, ...others } = outcomes;
  expect(npmrc).toBe('deleted by you');
  expect(new Set(Object.values(others))).toEqual(new Set(['left']));
  expect(git(folder, 'status', '--porcelain')).toBe('');
});

test('a conflict has the markers of git, and `upgrade` exits with 1', async () => {
  const folder = await committedProject(({ folder }) =>
    edit(folder, 'src/demo.ts', (text) => text.replace('maximum: 100', 'maximum: 9')),
  );

  const { code, outcomes, said } = await upgraded(
    folder,
    nextRelease({ 'src/demo.ts': (text) => text.replace('maximum: 100', 'maximum: 200') }),
  );

  expect(code).toBe(1);
  expect(outcomes).toMatchObject({ 'src/demo.ts': 'conflict', 'src/demo.test.ts': 'left' });
  expect(textOf(folder, 'src/demo.ts')).toMatch(
    /\n<{7} yours\n[^\n]*maximum: 9\b[^\n]*\n={7}\n[^\n]*maximum: 200\b[^\n]*\n>{7} chancery 0\.2\.0\n/,
  );
  expect(said).toContain(
    `Resolve the conflicts first, each between <<<<<<< and >>>>>>>:\n\n  ${join(folder, 'src/demo.ts')}\n`,
  );
});

test('the upgrade after a resolved conflict does not report the conflict again', async () => {
  const folder = await committedProject(({ folder }) => edit(folder, '.gitignore', () => 'mine\n'));
  await upgraded(folder, nextRelease({ '.gitignore': () => 'theirs\n' }));
  writeFileSync(join(folder, '.gitignore'), 'mine\ntheirs\n');
  commit(folder);

  const later = nextRelease({ '.gitignore': () => 'theirs\n', Dockerfile: (text) => `#\n${text}` });
  const { code, outcomes } = await upgraded(folder, { ...later, version: '0.3.0' });

  expect(code).toBe(0);
  expect(outcomes).toMatchObject({ '.gitignore': 'left', Dockerfile: 'updated' });
});

test('package.json is merged field by field, so that an added dependency is no conflict', async () => {
  const folder = await committedProject(({ folder }) => {
    edit(folder, 'package.json', (text) => {
      const manifest = JSON.parse(text);
      manifest.dependencies = { chalk: '^5.0.0', ...manifest.dependencies, zod: '^4.0.0' };
      manifest.scripts.dev = 'chancery dev --inspect';
      delete manifest.allowScripts;
      return `${JSON.stringify(manifest, null, 2)}\n`;
    });
  });
  const before = JSON.parse(textOf(folder, 'package.json'));

  const { code, outcomes } = await upgraded(
    folder,
    nextRelease({
      'package.json': (text) =>
        RAISED(text).replace('"scripts": {', '"scripts": {\n    "lint": "chancery lint",'),
    }),
  );

  expect([code, outcomes['package.json']]).toEqual([0, 'merged']);
  const text = textOf(folder, 'package.json');
  const after = JSON.parse(text);
  expect(after).toEqual({
    ...before,
    scripts: { ...before.scripts, lint: 'chancery lint' },
    dependencies: { ...before.dependencies, chancery: '^0.2.0' },
    devDependencies: {
      ...before.devDependencies,
      '@chancery/testing': '^0.2.0',
      typescript: '^8.0.0',
    },
  });
  expect(Object.keys(after)).toEqual(Object.keys(before));
  expect(Object.keys(after.scripts)).toEqual(['lint', ...Object.keys(before.scripts)]);
  expect(Object.keys(after.dependencies)).toEqual(['chalk', 'chancery', 'zod']);
  expect(text).toMatch(/^\{\n {2}"name"[\s\S]*\}\n$/);
});

test('only the conflicting field of package.json has conflict markers', async () => {
  const folder = await committedProject(({ folder }) =>
    edit(folder, 'package.json', (text) =>
      text.replace(/("typescript": )"[^"]*"/, '$1"^7.9.0"').replace('"0.1.0"', '"1.0.0"'),
    ),
  );

  const { code, outcomes } = await upgraded(folder, nextRelease({ 'package.json': RAISED }));

  expect([code, outcomes['package.json']]).toEqual([1, 'conflict']);
  const text = textOf(folder, 'package.json');
  expect(text).toContain('"version": "1.0.0"');
  expect(text).toContain('"chancery": "^0.2.0"');
  expect(text).toContain(
    '<<<<<<< yours\n    "typescript": "^7.9.0"\n=======\n    "typescript": "^8.0.0"\n>>>>>>> chancery 0.2.0\n',
  );
});

test('an invalid package.json is merged line by line', async () => {
  const folder = await committedProject(({ folder }) =>
    edit(folder, 'package.json', (text) => `${text}// mine\n`),
  );

  const { code, outcomes } = await upgraded(
    folder,
    nextRelease({ 'package.json': (text) => text.replace('"private"', '"next": 1,\n  "private"') }),
  );

  expect([code, outcomes['package.json']]).toEqual([0, 'merged']);
  expect(textOf(folder, 'package.json')).toMatch(/"next": 1,[\s\S]*\/\/ mine\n$/);
});

test('a kind that `create api` added is also upgraded, and stays in the list of controllers', async () => {
  const kind = ['--group', 'example.com', '--version', 'v1', '--kind', 'Cache'];
  const folder = await committedProject(async ({ create, folder }) => {
    await create(...kind, '--owns', 'services').exit;
    edit(folder, 'src/operator.ts', (text) => `${text}\n// mine\n`);
  });

  const { code, outcomes } = await upgraded(
    folder,
    nextRelease({
      'src/cache.ts': (text) => `// next\n${text}`,
      'src/operator.ts': (text) => `// next\n${text}`,
    }),
  );

  expect(code).toBe(0);
  expect(outcomes).toMatchObject({
    'samples/cache.yaml': 'left',
    'src/cache.test.ts': 'left',
    'src/cache.ts': 'updated',
    'src/operator.ts': 'merged',
  });
  const module = textOf(folder, 'src/operator.ts');
  expect(module).toMatch(/^\/\/ next\n[\s\S]*cacheController,\n[\s\S]*\/\/ mine\n$/);
  expect(module.match(/cacheController/g)).toHaveLength(2);
});

test("a user's file with the name of a new file is not changed by this upgrade or the next", async () => {
  const folder = await committedProject(({ folder }) =>
    writeFileSync(join(folder, 'EXTRA.md'), 'mine\n'),
  );

  const first = await upgraded(folder, nextRelease({ 'EXTRA.md': () => 'extra\n' }));
  commit(folder);
  const later = nextRelease({ 'EXTRA.md': () => 'more\n' });
  const second = await upgraded(folder, { ...later, version: '0.3.0' });

  expect([first.outcomes['EXTRA.md'], second.outcomes['EXTRA.md']]).toEqual(['left', 'left']);
  expect(textOf(folder, 'EXTRA.md')).toBe('mine\n');
});

test('a file that the user changed stays even if the new version no longer has it', async () => {
  const folder = await committedProject(({ folder }) =>
    edit(folder, '.npmrc', (text) => `${text}fund=false\n`),
  );
  const before = textOf(folder, '.npmrc');

  const { outcomes } = await upgraded(folder, nextRelease({ '.npmrc': undefined }));

  expect(outcomes['.npmrc']).toBe('left');
  expect(textOf(folder, '.npmrc')).toBe(before);
});

test('a file with Windows line endings is treated as unchanged, and keeps its line endings', async () => {
  const folder = await committedProject(({ folder }) => {
    for (const path of ['Dockerfile', '.gitignore']) {
      edit(folder, path, (text) => text.replaceAll('\n', '\r\n'));
    }
    edit(folder, '.gitignore', (text) => `${text}mine\r\n`);
  });

  const { outcomes } = await upgraded(
    folder,
    nextRelease({
      Dockerfile: (text) => `# next\n${text}`,
      '.gitignore': (text) => `next\n${text}`,
    }),
  );

  expect(outcomes).toMatchObject({ Dockerfile: 'updated', '.gitignore': 'merged' });
  for (const path of ['Dockerfile', '.gitignore']) {
    expect(textOf(folder, path)).toMatch(/^(?:# )?next\r\n/);
    expect(textOf(folder, path)).not.toMatch(/[^\r]\n/);
  }
});

test('`upgrade --dry-run` prints a report and diffs, and writes nothing, even with uncommitted changes', async () => {
  const folder = await committedProject();
  writeFileSync(join(folder, 'notes.txt'), '');
  const before = textsBelow(folder);

  const { code, outcomes, printed, said } = await upgraded(
    folder,
    nextRelease({ '.gitignore': (text) => `next\n${text}`, '.npmrc': undefined }),
    ['--dry-run'],
  );

  expect(code).toBe(0);
  expect(outcomes).toMatchObject({ '.gitignore': 'updated', '.npmrc': 'removed' });
  expect(printed).toContain(
    '--- .gitignore\n+++ .gitignore\n@@ -1,3 +1,4 @@\n+next\n node_modules/\n',
  );
  expect(printed).toMatch(/--- \.npmrc\n[\s\S]*\n-loglevel=error/);
  expect(said).toContain('would go from');
  expect(said).toContain('Nothing was written.');
  expect(textsBelow(folder)).toEqual(before);
});

test('`upgrade` refuses a folder with uncommitted changes, except with `--force`', async () => {
  const folder = await committedProject();
  edit(folder, 'README.md', (text) => `${text}\nmine\n`);
  writeFileSync(join(folder, 'notes.txt'), '');
  const before = textsBelow(folder);
  const release = nextRelease({ '.gitignore': (text) => `next\n${text}` });

  const refused = await upgraded(folder, release);
  const after = textsBelow(folder);
  const forced = await upgraded(folder, release, ['--force']);

  expect(refused).toMatchObject({ code: 1, printed: '' });
  expect(refused.said).toBe(
    'chancery upgrade: not committed: README.md, notes.txt; nothing was written. Commit first, or upgrade with ' +
      '--force.',
  );
  expect(after).toEqual(before);
  expect(forced).toMatchObject({ code: 0, outcomes: { '.gitignore': 'updated' } });
});

test('`upgrade` refuses a folder without a git repository, except with `--force`', async () => {
  const { folder } = await newProject('demo');
  const outside = folderWith({});
  for (const [path, text] of Object.entries(textsBelow(folder))) {
    mkdirSync(join(outside, path, '..'), { recursive: true });
    writeFileSync(join(outside, path), text);
  }
  edit(outside, '.gitignore', (text) => `${text}mine\n`);
  const release = nextRelease({ '.gitignore': (text) => `next\n${text}` });

  const refused = await upgraded(outside, release);
  const forced = await upgraded(outside, release, ['--force']);

  expect(refused.code).toBe(1);
  expect(refused.said).toContain('this is no git repository, which could undo an upgrade');
  expect(forced).toMatchObject({ code: 0, outcomes: { '.gitignore': 'merged' } });
});

test('an upgrade to the same version changes no file', async () => {
  const folder = await committedProject(async ({ create }) => {
    await create('--group=example.com', '--version=v1', '--kind=Cache').exit;
  });

  const { exit, stdout } = invoke(['upgrade', folder], { env: { PATH: process.env.PATH ?? '' } });

  expect(await exit).toBe(0);
  expect(stdout.lines).toHaveLength(17);
  expect(stdout.lines.filter((line) => !line.startsWith('left '))).toEqual([]);
  expect(git(folder, 'status', '--porcelain')).toBe('');
});
