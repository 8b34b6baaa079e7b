import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { type Guarantee, readGuarantees } from '../guarantees/guarantees.ts';
import { type Judgement, judge } from './judge-guarantees.ts';
import { type Report, reportFrom } from './vitest-report.ts';

const GUARANTEES: readonly Guarantee[] = [
  { tag: 'Z-1', promise: 'The first promise.', files: ['test/a.test.ts'] },
  { tag: 'Z-12', promise: 'The second promise.', files: ['test/a.test.ts', 'test/b.test.ts'] },
  { tag: 'H41', promise: 'A scenario.', files: ['test/b.test.ts'] },
];

/** Two files: each line is the status and the full name of a test. */
function lane(a: readonly string[], b: readonly string[], root = '/repository'): Report {
  const file = (name: string, lines: readonly string[]) => ({
    name: `${root}/test/${name}.test.ts`,
    assertionResults: lines.map((line) => {
      const [, status = '', fullName = ''] = /^(\S+) (.+)$/.exec(line) ?? [];
      return { status, fullName };
    }),
  });
  return { testResults: [file('a', a), file('b', b)] };
}

const FULL = [
  ['passed [Z-1] first', 'passed places [Z-12] second', 'failed of no guarantee'],
  ['passed [Z-12] again', 'passed [H41] a garbage line'],
] as const;

function judged(...reports: readonly Report[]): Judgement {
  return judge(GUARANTEES, reports, '/repository');
}

function missing(...reports: readonly Report[]): readonly string[] {
  return judged(...reports).missing.map(({ tag, file, found }) => `${tag} ${file}: ${found}`);
}

test('a guarantee counts as proved if, in each file listed for the guarantee, a test with the tag of the guarantee has passed', () => {
  expect(judged(lane(...FULL))).toEqual({ missing: [], tests: 4 });
});

test('several lanes together prove all guarantees, and a test that ran in two of the lanes counts once', () => {
  const first = lane(FULL[0], ['skipped [Z-12] again', 'failed [H41] a garbage line']);
  const second = lane(['passed [Z-1] first'], FULL[1]);

  expect(judged(first, second)).toEqual({ missing: [], tests: 4 });
  expect(missing(first)).toEqual([
    'Z-12 test/b.test.ts: skipped in every lane',
    'H41 test/b.test.ts: failed',
  ]);
  expect(missing(second)).toEqual(['Z-12 test/a.test.ts: absent']);
});

test('a longer tag, a tag of another list, and a tag without brackets do not prove a guarantee', () => {
  const report = lane(
    ['passed [Z-12] second', 'passed [real Z-1] first', 'passed Z-1 first'],
    ['passed [Z-12] again', 'passed H411 H-41 a garbage line'],
  );

  expect(missing(report)).toEqual(['Z-1 test/a.test.ts: absent', 'H41 test/b.test.ts: absent']);
});

test('a tag in another file, or in a file of the same name elsewhere, does not prove a guarantee', () => {
  const moved = lane([...FULL[0], ...FULL[1]], []);
  const elsewhere = lane(...FULL, '/elsewhere');

  expect(missing(moved)).toEqual(['Z-12 test/b.test.ts: absent', 'H41 test/b.test.ts: absent']);
  expect(missing(elsewhere)).toHaveLength(4);
});

test.each([
  'skipped',
  'pending',
  'todo',
  'disabled',
])('a test that is %s in every lane does not prove its guarantee', (status) => {
  const report = lane([`${status} [Z-1] first`, 'passed [Z-12] second'], FULL[1]);

  expect(missing(report, report)).toEqual(['Z-1 test/a.test.ts: skipped in every lane']);
});

test('a guarantee is not proved if one of its tests fails in every lane that runs it, even if its other tests pass', () => {
  const failing = lane([...FULL[0], 'failed [Z-1] more of it'], FULL[1]);
  const skipping = lane([...FULL[0], 'skipped [Z-1] more of it'], FULL[1]);
  const passing = lane([...FULL[0], 'passed [Z-1] more of it'], FULL[1]);

  expect(missing(failing, skipping)).toEqual(['Z-1 test/a.test.ts: failed']);
  expect(judged(failing, passing)).toEqual({ missing: [], tests: 5 });
});

test('a guarantee is not proved if one of two tests with the same name fails', () => {
  const failing = lane([...FULL[0], 'failed [Z-1] first', 'passed [Z-1] first'], FULL[1]);

  expect(missing(failing)).toEqual(['Z-1 test/a.test.ts: failed']);
});

test.each([
  '',
  '{}',
  '{"testResults":[{}]}',
  '{"testResults":[{"name":"a","assertionResults":[{}]}]}',
])('reportFrom throws for %j, which is not a report', (text) => {
  expect(() => reportFrom(text)).toThrow(TypeError);
});

const root = fileURLToPath(new URL('../../', import.meta.url));

async function run(...given: readonly (Report | string)[]) {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-lanes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const paths = given.map((report, at) => {
    if (typeof report === 'string') return report;
    const path = join(folder, `${at}.json`);
    writeFileSync(path, JSON.stringify(report));
    return path;
  });
  const program = [join(root, 'test/lanes/guarantees-shown.ts'), ...paths];
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, program, { cwd: folder }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

const guarantees = readGuarantees();

/** A lane in which one test has passed for each statement and file. */
function everything(): Report {
  return {
    testResults: guarantees.flatMap((guarantee) =>
      guarantee.files.map((file) => ({
        name: join(root, file),
        assertionResults: [{ fullName: `[${guarantee.tag}] shown`, status: 'passed' }],
      })),
    ),
  };
}

test('the program exits with 0 if all guarantees are proved; if not, with 1 and a line for each missing guarantee and file', async () => {
  const full = everything();
  const [first, ...others] = full.testResults;
  const { tag, files = [] } = guarantees[0] ?? expect.unreachable();

  const [shown, lacking] = await Promise.all([run(full), run({ testResults: others })]);

  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toBe(
    `${guarantees.length} guarantees shown by ${full.testResults.length} tests\n`,
  );
  expect(first?.name).toBe(join(root, files[0] ?? ''));
  expect(lacking).toEqual({ code: 1, stdout: '', stderr: `${tag} ${files[0]}: absent\n` });
});

test('the program exits with 2; without a report it prints its usage, and for a missing file the error', async () => {
  const [nothing, flag, absent] = await Promise.all([run(), run('--help'), run('no-such.json')]);

  expect(nothing).toMatchObject({ code: 2, stdout: '' });
  expect(nothing.stderr).toMatch(/^usage: node test\/lanes\/guarantees-shown\.ts REPORT\.json/);
  expect(flag).toEqual(nothing);
  expect(absent).toMatchObject({ code: 2, stdout: '' });
  expect(absent.stderr).toMatch(/^no-such\.json: ENOENT/);
});
