/** The runner of `npm run peers`: what it reads, and what it never calls passed. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { patternOf, vitestOutcomes } from './clients/fluent.ts';
import { problemOf, wishesOf } from './clients/kopf.ts';
import { pytestOutcomes } from './clients/python.ts';
import { functionsOf } from './kubectl/functions.ts';
import { lastLines, runProgram, startProgram } from './process.ts';
import { join, madePage, readPage, recordedResults } from './results.ts';
import { commitOf, judge, programOf } from './suite.ts';
import { SUITES } from './suites.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'chancery-peers-test-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function peers(peersFolder: string, ...args: readonly string[]) {
  const { code, output } = await runProgram({
    command: [process.execPath, '--conditions=chancery-source', MAIN, ...args],
    cwd: folder(),
    env: peersFolder === '' ? {} : { PEERS: peersFolder },
    timeoutMs: 60_000,
  });
  return { code, lines: output.trim().split('\n') };
}

describe('the command `npm run peers`', () => {
  test('without the variable PEERS, every suite is "not run", and the exit code is 2', async () => {
    const { code, lines } = await peers('');

    expect(code).toBe(2);
    expect(lines.map((line) => line.split(': ').slice(0, 2))).toEqual(
      SUITES.map(({ name }) => [name, 'not run']),
    );
    expect(lines[0]).toContain('git clone https://github.com/kubernetes/kubernetes');
  });

  test('a suite without its snapshot is "not run"', async () => {
    const { code, lines } = await peers(folder(), 'python');

    expect(code).toBe(2);
    expect(lines).toEqual([expect.stringMatching(/^python: not run: .*python is not there/)]);
  });

  test('an unknown suite and an unknown option are refused', async () => {
    const [suite, option] = [await peers(folder(), 'ruby'), await peers(folder(), '--fast')];

    expect([suite.code, option.code]).toEqual([2, 2]);
    expect(suite.lines[0]).toBe('peers: no suite is named ruby');
  });
});

describe('the verdict on a suite of another project', () => {
  test('a verdict separates explained failures from unexplained failures, and finds outdated explanations', () => {
    const outcomes = [
      { name: 'a', passed: true, output: '' },
      { name: 'b', passed: false, output: 'x' },
      { name: 'c', passed: false, output: 'y' },
      { name: 'd', passed: true, output: '' },
    ];

    expect(judge(outcomes, { b: 'needs a node', d: 'needs a disk' })).toEqual({
      passed: ['a', 'd'],
      known: ['b'],
      unexplained: ['c'],
      mended: ['d'],
    });
  });

  test('the commit of a snapshot is read from its branch, a packed branch or the file .commit', () => {
    const [loose, packed, archive] = [folder(), folder(), folder()];
    for (const clone of [loose, packed]) {
      mkdirSync(path.join(clone, '.git/refs/heads'), { recursive: true });
      writeFileSync(path.join(clone, '.git/HEAD'), 'ref: refs/heads/main\n');
    }
    writeFileSync(path.join(loose, '.git/refs/heads/main'), `${'a'.repeat(40)}\n`);
    writeFileSync(
      path.join(packed, '.git/packed-refs'),
      `# pack\n${'b'.repeat(40)} refs/heads/main\n`,
    );
    writeFileSync(path.join(archive, '.commit'), 'v7.1\n');

    expect([loose, packed, archive].map(commitOf)).toEqual([
      'a'.repeat(40),
      'b'.repeat(40),
      'v7.1',
    ]);
    expect(() => commitOf(folder())).toThrow('write the commit or tag');
  });
});

test('a result contains the version of its program: a kubectl version, a tag or a short commit', () => {
  const client = 'kopf';

  expect(programOf({}, 'v1.20.2', 'v1.33.1')).toBe('kubectl v1.33.1');
  expect(programOf({ client }, '1.44.6', '')).toBe('kopf 1.44.6');
  expect(programOf({ client }, 'c0ffee'.padEnd(40, '7'), '')).toBe('kopf c0ffee777777');
});

describe('parsing of suites and their output', () => {
  test('functionsOf lists each test function that a script records or calls, without duplicates', () => {
    const script = `
runTests() {
  record_command run_first_tests
  if kube::test::if_supports_resource "pods" ; then
\trecord_command run_second_tests
    run_third_tests
    record_command run_first_tests
  fi
  echo run_fourth_tests
  record_command "run_\${pkg}_tests"
}
run_fifth_tests() {
`;

    expect(functionsOf(script)).toEqual(['run_first_tests', 'run_second_tests', 'run_third_tests']);
  });

  test('pytestOutcomes reads passed and failed tests and errors, and ignores skipped tests', () => {
    const output = `
e2e/test_a.py::TestA::test_one PASSED [ 20%]
=========================== short test summary info ============================
PASSED e2e/test_a.py::TestA::test_one
SKIPPED [1] e2e/test_a.py:12: no cluster
FAILED e2e/test_a.py::TestA::test_two - AssertionError: 1 != 2
ERROR e2e/test_b.py::TestB::test_three - urllib3.exceptions.MaxRetryError
`;

    expect(pytestOutcomes(output)).toEqual([
      { name: 'test_a.TestA.test_one', passed: true, output: '' },
      { name: 'test_a.TestA.test_two', passed: false, output: 'AssertionError: 1 != 2' },
      {
        name: 'test_b.TestB.test_three',
        passed: false,
        output: 'urllib3.exceptions.MaxRetryError',
      },
    ]);
  });

  test('vitestOutcomes reads passed and failed tests, and counts a file that did not start as failed', () => {
    const report = JSON.stringify({
      testResults: [
        {
          name: '/x/one.e2e.test.ts',
          assertionResults: [
            { fullName: 'pods are made', status: 'passed' },
            { fullName: 'pods are gone', status: 'failed', failureMessages: ['late\nat a\nat b'] },
            { fullName: 'pods dance', status: 'skipped' },
          ],
        },
        { name: '/x/two.e2e.test.ts', message: 'no module', assertionResults: [] },
      ],
    });

    expect(vitestOutcomes(report).map(({ name, passed }) => [name, passed])).toEqual([
      ['pods are made', true],
      ['pods are gone', false],
      ['two.e2e.test.ts', false],
    ]);
  });

  test('patternOf selects the given tests, or all tests except for the excluded tests', () => {
    const matches = (pattern: string) =>
      ['Logs', ' Logs', 'watch (all) Logs', 'Logs of a Pod', 'LogsX', 'Xogs'].filter((name) =>
        new RegExp(pattern).test(name),
      );

    expect(matches(patternOf(['Logs'], ['LogsX']))).toEqual(['Logs', ' Logs']);
    expect(matches(patternOf(['watch (all) Logs'], []))).toEqual(['watch (all) Logs']);
    expect(matches(patternOf([], ['Logs', '.ogs']))).toEqual([
      'watch (all) Logs',
      'Logs of a Pod',
      'LogsX',
      'Xogs',
    ]);
  });

  test('wishesOf reads from an example of kopf what the example waits for, and how often its handlers succeed', () => {
    const wishes = wishesOf(`
import kopf
E2E_ALLOW_TRACEBACKS = True
E2E_CREATION_STOP_WORDS = ['Something has changed,', "=> Ping from"]
E2E_SUCCESS_COUNTS: dict[str, int] = {'create_1': 1,
                      'delete': 2}
`);

    expect(wishes.creation.map(({ source }) => source)).toEqual([
      'Something has changed,',
      '=> Ping from',
    ]);
    expect(wishes.startup.some((words) => words.test('Client is configured in cluster.'))).toBe(
      true,
    );
    expect(wishes.tracebacks).toBe(true);
    expect(wishes.successes).toEqual({ create_1: 1, delete: 2 });
    expect(wishes.sayings).toEqual([]);
    const said = "Handler 'create_1' succeeded.\nHandler 'delete' succeeded.\n";
    expect(problemOf(said, wishes)).toBe('handlers: delete ended 1 times, not 2');
    expect(problemOf(`${said}Handler 'delete' succeeded.\n`, wishes)).toBeUndefined();
  });

  test('if an example does not say what it waits for, its handlers must succeed once, and failures and tracebacks are problems', () => {
    const wishes = wishesOf('import kopf\n');

    expect(problemOf("Handler 'a' succeeded.", wishes)).toBeUndefined();
    expect(problemOf('Client is configured', wishes)).toContain('none ended');
    expect(problemOf("'a' succeeded. 'a' succeeded.", wishes)).toContain('a ended 2 times');
    expect(problemOf("'b' succeeded. 'a' failed permanently: no", wishes)).toContain('a ended 1');
    expect(problemOf('Traceback (most recent call last):', wishes)).toContain('traceback');
  });
});

test('an example of kopf with handlers for creation and deletion must log that both were called for its object', () => {
  const object = '[default/kopf-example-1]';
  const handled = "Handler 'a' succeeded.\n";
  const gone = `${object} Deleted, really deleted`;
  const finalized = `${object} Adding the finalizer\n${object} Deletion is in progress: {}`;
  const created = wishesOf('@kopf.on.create(\n    "kex")\ndef a(**_):\n  pass\n');
  const deleted = wishesOf('@kopf.on.delete("kex", retries=3)\ndef a(**_):\n  pass\n');
  const missed = wishesOf('@kopf.on.delete("kex", optional=True)\ndef a(**_):\n  pass\n');

  expect(problemOf(`${handled}${gone}`, created)).toContain('Creation is in progress:');
  expect(problemOf(`${handled}${object} Creation is in progress: {}\n${gone}`, created)).toBe(
    undefined,
  );
  expect(problemOf(`${handled}${gone}`, deleted)).toContain('Adding the finalizer');
  expect(problemOf(`${handled}${gone}\n${finalized}`, deleted)).toBe(undefined);
  expect(problemOf(`${handled}${gone}`, missed)).toBe(undefined);
  expect(problemOf(handled, missed)).toContain('Deleted, really deleted');
});

describe('running the programs of suites', () => {
  const shell = (text: string, timeoutMs = 60_000) => ({
    command: ['sh', '-c', text],
    cwd: folder(),
    env: {},
    timeoutMs,
  });

  test('processes that a program has started are ended when the program ends', async () => {
    const { code, output } = await runProgram(shell('sleep 1000 & echo begun; exit 3'));

    expect([code, output]).toEqual([3, 'begun\n']);
  });

  test('a program that exceeds its timeout is ended and has no exit code', async () => {
    const { code } = await runProgram(shell('sleep 1000', 50));

    expect(code).toBeUndefined();
  });

  test('program.says waits for a string in the output until the program ends', async () => {
    const program = startProgram(shell('echo ready; read -r line; sleep 1000'));

    expect(await program.says([/ready/], 60_000)).toBe(true);
    program.stop();
    expect(await program.says([/never/], 60_000)).toBe(false);
  });

  test('lastLines returns the last lines of an output without colours', () => {
    expect(lastLines('one\n\n\u001b[31mtwo\u001b[0m\nthree\n\n', 2)).toBe('two\nthree');
  });
});

describe('the page with the results of the suites', () => {
  test('docs/peers.md contains the recorded results, as `npm run peers -- --record` writes them', () => {
    expect(readPage()).toBe(madePage(readPage(), recordedResults()));
  });

  test('when some tests run again, only their recorded results are replaced', () => {
    const of = { suite: 'kubectl', commit: 'v1', with: 'kubectl v1.9' };

    const joined = join(
      { ...of, passed: ['a', 'b'], failed: ['c', 'd'] },
      { ...of, passed: ['c'], failed: ['a'] },
    );

    expect(joined).toEqual({ ...of, passed: ['b', 'c'], failed: ['d', 'a'] });
  });

  test('every result contains a program with its version', () => {
    for (const { suite, with: program } of recordedResults()) {
      expect(program).toMatch(/^\S.* v?[0-9a-f][0-9a-f.]+$/);
      expect(SUITES.find(({ name }) => name === suite)?.title).not.toBe(program);
    }
  });

  test('the page lists a suite without results as "not run"', () => {
    const page = madePage(readPage(), []);

    for (const { name } of SUITES)
      expect(page).toMatch(new RegExp(`\\| \`${name}\` .*\\| not run \\|`));
    expect(page).not.toContain(' pass.');
    expect(page).toContain('What five of them do is tested elsewhere');
  });
});
