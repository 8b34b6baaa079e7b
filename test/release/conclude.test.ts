/** When something is published, and when it is not. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Check, Refusals } from '../../release/refusal.ts';
import { conclude } from '../../release/release.ts';
import { ALL, programs } from './recording-programs.ts';

interface Case {
  /** What speaks against the release. */
  readonly refused?: Check;
  readonly isDryRun?: boolean;
  readonly except?: Check;
  /** The commit has the tag of 2.1.0. */
  readonly version?: string;
  readonly failing?: string;
}

const root = mkdtempSync(join(tmpdir(), 'chancery-release-'));
beforeAll(() => {
  const git = (...args: readonly string[]): void => void execFileSync('git', args, { cwd: root });
  const author = ['-c', 'user.name=x', '-c', 'user.email=x@example.com'];
  git('init', '-q');
  git(...author, 'commit', '-q', '--allow-empty', '-m', 'x');
  git('tag', 'v2.1.0');
});
afterAll(() => rmSync(root, { recursive: true }));

/** Ends a release in a repository that has nothing else. */
async function ended({ refused, isDryRun = false, except, version = '2.1.0', failing }: Case) {
  const { PATH, log } = programs(ALL, { failing });
  const refusals = new Refusals();
  if (refused !== undefined) refusals.add(refused, ['it is not ready']);
  const publication = {
    ...{ folder: root, version, registry: 'registry.example/tea', images: [] },
    ...{
      attachments: [],
      packages: [{ file: 'kettle.tgz', name: 'kettle', integrity: 'sha512-a' }],
    },
  };
  const said: string[] = [];
  const exitCode = await conclude(
    { refusals, publication },
    {
      ...{ root, isDryRun, registry: undefined, output: undefined, hasImages: true },
      except: new Set(except === undefined ? [] : [except]),
      env: {
        PATH: `${PATH}:${process.env.PATH}`,
        ACTIONS_ID_TOKEN_REQUEST_URL: 'https://ci.example',
      },
      say: (line) => said.push(line),
    },
  );
  const list = readFileSync(join(root, 'REFUSALS.txt'), 'utf8');
  return { exitCode, called: log(), said, list };
}

const PUBLISHED = [
  ...['npm --version', 'gh release', 'cosign sign-blob'],
  ...['npm view', 'npm stage', 'gh release'],
];

test('a release without any refusal is published', async () => {
  expect(await ended({})).toMatchObject({ exitCode: 0, called: PUBLISHED, list: '' });
});

test('[I-9] if one check refuses, nothing is published', async () => {
  const { exitCode, called, said, list } = await ended({ refused: 'licences' });

  expect({ exitCode, called, list }).toEqual({
    exitCode: 1,
    called: ['npm --version'],
    list: 'licences: it is not ready\n',
  });
  expect(said).toEqual(
    expect.arrayContaining(['refused: licences: it is not ready', 'release: nothing is published']),
  );
});

test('[security P7] a commit without the tag of its version is not published', async () => {
  expect(await ended({ version: '2.1.1' })).toMatchObject({
    exitCode: 1,
    called: ['npm --version'],
    list: 'checkout: the commit has no tag v2.1.1\n',
  });
});

test('a failed publication is reported, and gives the exit code 1', async () => {
  const { exitCode, called, said } = await ended({ failing: 'npm stage' });

  expect({ exitCode, called }).toEqual({ exitCode: 1, called: PUBLISHED.slice(0, 5) });
  expect(said.at(-1)).toContain('1 of 3 commands were done before');
});

test.each<[Case, number]>([
  [{}, 0],
  [{ version: '2.1.1' }, 0],
  [{ refused: 'pins' }, 1],
  [{ refused: 'pins', except: 'changelog' }, 1],
  [{ refused: 'changelog', except: 'changelog' }, 0],
])('a dry run publishes nothing, and with %o exits with %i', async (given, exitCode) => {
  const result = await ended({ ...given, isDryRun: true });

  expect(result).toMatchObject({ exitCode, called: [] });
  expect(result.list).toBe(given.refused ? `${given.refused}: it is not ready\n` : '');
});
