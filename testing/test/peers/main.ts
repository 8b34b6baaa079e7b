import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { findKubectl } from '../../src/ambassador/kubectl.ts';
import { type Result, record } from './results.ts';
import {
  commitOf,
  judge,
  type Outcome,
  programOf,
  type RunningServer,
  type Suite,
} from './suite.ts';
import { SUITES } from './suites.ts';

const HELP = `usage: PEERS=DIR npm run peers [-- [SUITE…] [--only TEST]… [--kubectl FILE]… [--record]]

Runs tests of other projects against the embedded API server. DIR has the snapshots of their repositories, one folder
each; docs/peers.md says how to get them. Nothing is written into DIR.

  SUITE           ${SUITES.map(({ name }) => name).join(', ')}. Default: all
  --only TEST     only this test, also one that is left out otherwise
  --kubectl FILE  run suites that need kubectl with this one. Default: $KUBECTL, or the newest on the PATH
  --server URL    against a server that is there already, https://127.0.0.1:PORT
  --token FILE    for --server: the file with a bearer token of an administrator
  --keep          keep the folder with the whole output of each test, and say where it is
  --record        write the results into docs/peers.md; with --only those of these tests, in place of earlier ones
  --help          this text

Exits with 1 when a test fails that the suite does not list as failing, or passes though it is listed; with 2 for wrong
arguments, and when a suite could not run: without DIR, or without its snapshot. What was not run has not passed.
`;

const { values, positionals } = arguments_();

function arguments_() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        only: { type: 'string', multiple: true, default: [] },
        kubectl: { type: 'string', multiple: true, default: [] },
        server: { type: 'string' },
        token: { type: 'string' },
        keep: { type: 'boolean', default: false },
        record: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function refuse(why: string): never {
  process.stderr.write(`peers: ${why}\nTry npm run peers -- --help\n`);
  process.exit(2);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** @returns what stands in the way of a suite, or undefined. */
function missing(suite: Suite, peers: string | undefined): string | undefined {
  if (suite.run === undefined) return suite.notRun;
  const clone = `git clone ${suite.repository} DIR/${suite.folder}`;
  if (!peers) return `PEERS is not set; ${clone}`;
  const isThere = statSync(join(peers, suite.folder), { throwIfNoEntry: false })?.isDirectory();
  return isThere ? undefined : `${join(peers, suite.folder)} is not there; ${clone}`;
}

function versionOf(kubectl: string): string {
  const said = execFileSync(kubectl, ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
  return JSON.parse(said).clientVersion.gitVersion;
}

/** Each kubectl that a suite is run with; '' for a suite that needs none. */
function kubectlsFor({ usesKubectl, client }: Suite): readonly (string | undefined)[] {
  if (!usesKubectl) return [''];
  const kubectls = values.kubectl.length > 0 ? values.kubectl : [findKubectl(process.env)];
  return client === undefined ? kubectls : kubectls.slice(0, 1);
}

/** @returns undefined for a server of the run's own. */
function givenServer(): RunningServer | undefined {
  if (values.server === undefined) return undefined;
  if (values.token === undefined) refuse('--server needs --token');
  return { url: values.server, token: readFileSync(values.token, 'utf8').trim() };
}

async function runSuite(suite: Suite, snapshot: string, kubectl: string): Promise<boolean> {
  const commit = commitOf(snapshot);
  const program = programOf(suite, commit, suite.client === undefined ? versionOf(kubectl) : '');
  print(`${suite.name}: ${suite.title}, ${commit}, ${program}`);
  const outcomes: Outcome[] = [];
  const scratch = mkdtempSync(join(tmpdir(), 'chancery-peers-'));
  const server = givenServer();
  try {
    await suite.run?.({
      snapshot,
      scratch,
      only: values.only,
      kubectl,
      ...(server === undefined ? {} : { server }),
      tell: (outcome) => {
        outcomes.push(outcome);
        print(`  ${outcome.passed ? 'passed' : 'FAILED'}  ${outcome.name}`);
        if (outcome.output !== '') print(outcome.output.replaceAll(/^/gm, '      '));
      },
    });
  } finally {
    if (values.keep) print(`  output: ${scratch}`);
    else rmSync(scratch, { recursive: true, force: true });
  }
  const { passed, known, unexplained, mended } = judge(outcomes, suite.failing);
  print(
    `  ${outcomes.length} run, ${passed.length} passed, ${outcomes.length - passed.length} failed`,
  );
  for (const name of known) print(`  fails as known: ${name}: ${suite.failing[name]}`);
  for (const name of unexplained) print(`  fails, and is not listed: ${name}`);
  for (const name of mended) print(`  listed as failing, but passes: ${name}`);
  if (values.record && server === undefined) {
    const failed = outcomes.filter((one) => !one.passed).map(({ name }) => name);
    (values.only.length === 0 ? results : parts).push({
      suite: suite.name,
      commit,
      with: program,
      passed,
      failed,
    });
  }
  return unexplained.length === 0 && mended.length === 0;
}

const results: Result[] = [];
/** Of some tests of a suite. */
const parts: Result[] = [];

async function main(): Promise<number> {
  const unknown = positionals.find((name) => !SUITES.some((suite) => suite.name === name));
  if (unknown !== undefined) refuse(`no suite is named ${unknown}`);
  const wanted = SUITES.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  );
  const peers = process.env.PEERS;
  let code = 0;
  for (const suite of wanted) {
    const why = missing(suite, peers);
    if (why !== undefined || peers === undefined) {
      print(`${suite.name}: not run: ${why}`);
      if (suite.run !== undefined || positionals.length > 0) code = 2;
      continue;
    }
    for (const kubectl of kubectlsFor(suite)) {
      if (kubectl === undefined) {
        print(`${suite.name}: not run: no kubectl; install one, or name it with --kubectl`);
        code = 2;
      } else if (!(await runSuite(suite, join(peers, suite.folder), kubectl))) code ||= 1;
    }
  }
  if (results.length + parts.length > 0) record(results, parts);
  return code;
}

// What runs ends with this process, whose folders are then left.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

if (values.help) process.stdout.write(HELP);
else process.exitCode = await main();
