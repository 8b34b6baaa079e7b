import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathOf } from '../../../../test/tools/tools.ts';
import { lastLines, runProgram, startProgram } from '../process.ts';
import type { Outcome, Suite, SuiteRun } from '../suite.ts';
import { withServer } from './server.ts';

const TIMEOUT_MS = 180_000;
/** How long the words of a step are waited for. */
const PATIENCE_MS = 60_000;
/** What kopf says of its start: the first with the official client of Kubernetes, the second with pykube. */
const CONFIGURED = ['Client is configured', 'Pykube is configured'];
/** How long a step without words of its own lasts: as long as in kopf's own test. */
const PAUSE_MS = 3_000;

/** The program `kopf`, with the settings of kopf's own test: failed handlers are tried again after a second, not a minute. */
const PROGRAM = `
import sys
import kopf
from kopf import cli

settings = kopf.OperatorSettings()
settings.execution.default_backoff = 1
settings.watching.server_timeout = 10
cli.main(sys.argv[1:], prog_name='kopf', obj=cli.CLIControls(settings=settings))
`;

/** kopf's examples, as its `tests/e2e/test_examples.py` runs them. */
export const KOPF: Suite = {
  name: 'kopf',
  title: "kopf's examples",
  repository: 'https://github.com/nolar/kopf',
  folder: 'kopf',
  client: 'kopf',
  prepare: "python3 -m pip install '.[dev]' -r examples/requirements.txt",
  usesKubectl: true,
  outside: {},
  failing: {},
  run: runExamples,
};

async function runExamples(run: SuiteRun): Promise<void> {
  const { snapshot, only } = run;
  for (const name of examplesIn(snapshot)) {
    if (only.length > 0 ? !only.includes(name) : Object.hasOwn(KOPF.outside, name)) continue;
    run.tell(await runExample(run, name));
  }
}

/** Those with a test of their own are no operators to be started alone. */
function examplesIn(snapshot: string): readonly string[] {
  return readdirSync(join(snapshot, 'examples')).filter((name) => {
    const folder = join(snapshot, 'examples', name);
    if (!existsSync(join(folder, 'example.py'))) return false;
    return !readdirSync(folder).some((file) => /^test.*\.py$/.test(file));
  });
}

async function runExample(
  { snapshot, scratch, kubectl, server }: SuiteRun,
  name: string,
): Promise<Outcome> {
  const file = `examples/${name}/example.py`;
  const wishes = wishesOf(readFileSync(join(snapshot, file), 'utf8'));
  let outcome: Outcome = { name, passed: false, output: 'did not run' };
  await withServer(server, scratch, async (kubeconfig) => {
    const env = {
      KUBECONFIG: kubeconfig,
      PYTHONPATH: snapshot,
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONUNBUFFERED: '1',
    };
    const shared = { cwd: snapshot, env, timeoutMs: TIMEOUT_MS };
    const apply = async (...args: readonly string[]): Promise<void> => {
      const { code, output } = await runProgram({ command: [kubectl, ...args], ...shared });
      if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${output}`);
    };
    await apply('apply', '-f', 'examples/crd.yaml');
    const operator = startProgram({
      command: [
        ...[pathOf('python3'), '-c', PROGRAM, 'run'],
        ...['--all-namespaces', '--standalone', '--verbose', file],
      ],
      ...shared,
    });
    const step = async (words: readonly RegExp[]): Promise<void> => {
      await operator.says(words, words.length > 0 ? PATIENCE_MS : PAUSE_MS);
    };
    await step(wishes.startup);
    await apply('apply', '-f', 'examples/obj.yaml');
    await step(wishes.creation);
    await apply('delete', '-f', 'examples/obj.yaml');
    await step(wishes.deletion);
    operator.stop();
    const { code, output } = await operator.ended;
    writeFileSync(join(scratch, `${name}.log`), output);
    const problem = code === 0 ? problemOf(output, wishes) : `it ended with ${code}`;
    const passed = problem === undefined;
    outcome = { name, passed, output: passed ? '' : `${problem}\n${lastLines(output)}` };
  });
  return outcome;
}

type Counts = Readonly<Record<string, number>>;

/**
 * What an example says of the test of itself: in constants whose names begin with `E2E_`, and by the handlers that it
 * has.
 */
export interface Wishes {
  readonly startup: readonly RegExp[];
  readonly creation: readonly RegExp[];
  readonly deletion: readonly RegExp[];
  readonly tracebacks: boolean;
  /** How often each handler succeeds; undefined for once each. */
  readonly successes: Counts | undefined;
  /** The same of those that fail for good; undefined for none. */
  readonly failures: Counts | undefined;
  /** What kopf says of an object that has such handlers. */
  readonly sayings: readonly string[];
}

const OBJECT = '[default/kopf-example-1]';

/** What kopf says of the object because of the handlers that a source declares with `@kopf.on.create()` and the like. */
function sayingsOf(source: string): readonly string[] {
  const has = (handler: string): boolean =>
    new RegExp(`^\\s*@kopf\\.(?:on\\.)?${handler}\\(`, 'm').test(source);
  const mayBeMissed = /@kopf\.on\.delete\([^)]*\boptional=True/.test(source);
  return [
    ...(has('create') ? ['Creation is in progress:'] : []),
    ...(has('delete') && !mayBeMissed ? ['Adding the finalizer', 'Deletion is in progress:'] : []),
    ...(['create', 'update', 'delete'].some(has) ? ['Deleted, really deleted'] : []),
  ].map((saying) => `${OBJECT} ${saying}`);
}

export function wishesOf(source: string): Wishes {
  const value = (name: string): unknown => {
    const [, literal] =
      new RegExp(`^E2E_${name}(?:: [^=]+)? = (\\[[^\\]]*\\]|\\{[^}]*\\}|\\w+)`, 'm').exec(source) ??
      [];
    if (literal === undefined) return undefined;
    if (literal === 'True' || literal === 'False') return literal === 'True';
    // A list or dictionary of Python, without quotes in its texts but around "…" ones.
    return JSON.parse(
      literal
        .replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double, single) => JSON.stringify(double ?? single))
        .replaceAll(/,\s*([\]}])/g, '$1'),
    );
  };
  const words = (name: string, usual: readonly string[] = []): readonly RegExp[] =>
    ((value(`${name}_STOP_WORDS`) as readonly string[] | undefined) ?? usual).map(
      (pattern) => new RegExp(pattern),
    );
  return {
    startup: words('STARTUP', CONFIGURED),
    creation: words('CREATION'),
    deletion: words('DELETION'),
    tracebacks: value('ALLOW_TRACEBACKS') === true,
    successes: value('SUCCESS_COUNTS') as Counts | undefined,
    failures: value('FAILURE_COUNTS') as Counts | undefined,
    sayings: sayingsOf(source),
  };
}

/** What is wrong with the output of an example, in the order in which kopf's test looks. */
export function problemOf(output: string, wishes: Wishes): string | undefined {
  if (!wishes.tracebacks && output.includes('Traceback (most recent call last):')) {
    return 'it printed a traceback';
  }
  const unsaid = wishes.sayings.find((saying) => !output.includes(saying));
  if (unsaid !== undefined) return `it did not say: ${unsaid}`;
  const succeeded = counted(output, /'(.+?)' succeeded/g);
  const failed = counted(output, /'(.+?)' failed (?:permanently|with an exception and will stop)/g);
  const wrong = mismatch(succeeded, wishes.successes, 1) ?? mismatch(failed, wishes.failures, 0);
  return wrong && `handlers: ${wrong}`;
}

function counted(output: string, pattern: RegExp): Counts {
  const counts: Record<string, number> = {};
  for (const [, name = ''] of output.matchAll(pattern)) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** @param usual - how often each must be counted when nothing is wished; unless that is 0, there must be some. */
function mismatch(counts: Counts, wished: Counts | undefined, usual: number): string | undefined {
  if (wished === undefined) {
    if (usual > 0 && Object.keys(counts).length === 0) return 'none ended';
    const [odd] = Object.entries(counts).filter(([, count]) => count !== usual);
    return odd && `${odd[0]} ended ${odd[1]} times, not ${usual}`;
  }
  const [odd] = Object.entries(wished).filter(([name, count]) => (counts[name] ?? 0) !== count);
  return odd && `${odd[0]} ended ${counts[odd[0]] ?? 0} times, not ${odd[1]}`;
}
