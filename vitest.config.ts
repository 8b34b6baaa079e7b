import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { TOOLS as PROGRAMS } from './test/tools/tools.ts';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The packages of this repository beside `chancery` itself. */
const { workspaces: WORKSPACES } = JSON.parse(readFileSync(source('./package.json'), 'utf8')) as {
  readonly workspaces: readonly string[];
};

/** The sources of a package's public entries, under the names that others import them by. */
function entriesOf(manifest: string): { find: RegExp; replacement: string }[] {
  const { name, exports = {} } = JSON.parse(readFileSync(source(manifest), 'utf8')) as {
    readonly name: string;
    readonly exports?: Readonly<Record<string, string | { readonly 'chancery-source': string }>>;
  };
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : {
          find: new RegExp(`^${name}${path.slice(1)}$`),
          replacement: resolve(dirname(source(manifest)), target['chancery-source']),
        },
  );
}

/** Children of tests load the same sources hundreds of times: Node keeps what it has compiled here. */
process.env.NODE_COMPILE_CACHE ??= source('./node_modules/.cache/node');

const FILES = '{test,testing/test,packages/*/test,examples,bench/test}/**/*.test.ts';
/** Tests that start real programs, such as kubectl or jq; test/tools/tools.ts has the table. */
const TOOLS = '{test,testing/test,packages/*/test,examples}/**/*.tools.test.ts';
/**
 * Tests behind an ambassador: behind its stand-in in the other lanes, behind a real `kubectl proxy` in `test:tools`. An exploration
 * reaches its API server without one.
 */
const BEHIND_AMBASSADOR = [
  '{test,testing/test,packages/*/test}/**/*.ambassador.test.ts',
  'examples/*/test/**/!(exploration).test.ts',
];
/**
 * The environment of lanes behind a real `kubectl proxy`. What an example does runs there under the policies that are generated
 * for it. A policy judges requests, whichever ambassador they come through: to bind it in one lane is enough, and costs a tenth of
 * the test.
 */
const AS_IN_A_CLUSTER = { CHANCERY_TEST_AMBASSADOR: 'kubectl', CHANCERY_TEST_POLICIES: 'bound' };
const NOT_OURS = '**/node_modules/**';
/** Files whose text has a word: those that start tools, or all others. */
const filesWith = (word: string, isTools = false): string[] =>
  globSync(isTools ? TOOLS : FILES, { cwd: source('.') }).filter(
    (path) =>
      path.includes('.tools.') === isTools && readFileSync(source(path), 'utf8').includes(word),
  );

/**
 * Tests that take long and are not what a change usually breaks: builds, whole projects, replicas as processes, crashes,
 * commands of documents, the suite for API servers, the benchmarks' harness.
 */
const LONG = [
  '**/*.long.test.ts',
  '**/*.long.ambassador.test.ts',
  'bench/test/**/*.test.ts',
  'test/{crash,launchers}/*.test.ts',
  'testing/test/control-plane/*.test.ts',
];

/**
 * Lane → its files. `npm test` runs the files of no lane: what a change of the engine or of the command needs, and the
 * `operator.test.ts` of each example. CONTRIBUTING.md says how each lane runs, and when.
 */
export const LANES: Readonly<Record<string, readonly string[]>> = {
  examples: ['examples/*/test/**/!(operator).test.ts'],
  certificates: ['packages/certificates/test/**/*.test.ts'],
  hooks: ['packages/hooks/test/**/*.test.ts'],
  metacontroller: ['packages/metacontroller/test/**/*.test.ts'],
  packaging: ['packages/packaging/test/**/*.test.ts'],
  testing: ['testing/test/**/*.test.ts'],
};

/** What these make for all files of a run is in one folder. */
const RUN_FOLDER = 'test/support/run-folder.ts';
/** Their files wait more than they work. Begun last they would be waited for. */
const WAITING = ['whole-process', 'long', 'tools', 'tools-alone'];

/** Tests that look at the whole process, or change it: its memory, sockets, environment, timers, modules. */
const WHOLE_PROCESS = [
  ...filesWith('vi.useFakeTimers'), // which leave the timers of later files in the worker unreliable
  'test/manager/{event-loop-watch,log-level,no-handles}.test.ts',
  'test/model/kubernetes-files.test.ts',
  'test/store/text-memory.test.ts',
  'test/transport/undici-transport.test.ts',
];

/** Those of them that start tools. */
const TOOLS_ALONE = filesWith('vi.useFakeTimers', true);
const TOOLS_TOGETHER = globSync(TOOLS, { cwd: source('.'), exclude: [NOT_OURS] }).filter(
  (path) => !TOOLS_ALONE.includes(path),
);

/** Files with properties and crash points, which `test:all` runs with many runs each. */
const AGAIN = [...filesWith('fc.assert'), ...filesWith('EVERY_PLACE')];
/** Lanes that `test:all` runs after the others: it leaves their files out of those, because once is enough. */
const LATER = process.env.LATER_LANES?.split(' ') ?? [];
const LEFT_OUT = LATER.includes('again-properties') ? AGAIN : [];
const LEFT_OUT_OF_LANES = [
  ...LEFT_OUT,
  ...(LATER.includes('kubectl-proxy') ? BEHIND_AMBASSADOR : []),
];

/**
 * An order that the seed of the run decides. Vitest keeps a worker, and what it has loaded, only when the next file shares
 * workers and is of the same project: so the files of a project stand together.
 */
class ProjectsTogether extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed } = this.ctx.config.sequence;
    const hash = (text: string): string =>
      createHash('sha1').update(`${seed} ${text}`).digest('hex');
    const place = ({ moduleId, project }: TestSpecification): string => {
      const { name } = project;
      const together = WAITING.includes(name) ? `! ${name}` : hash(name);
      return `${together} ${hash(`${name} ${moduleId}`)}`;
    };
    return files.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
  }
}

const FEW_RUNS = 50;
const MANY_RUNS = 1_000;
/** The one setting of how often properties are tried, for all tests. */
const PROPERTY_RUNS = process.env.PROPERTY_RUNS;
const manyRuns = PROPERTY_RUNS ?? String(MANY_RUNS);
/** Nothing waits for time to pass; a machine that others use may take long for what takes a second. */
const PATIENCE_MS = 40_000;

export default defineConfig({
  resolve: {
    alias: ['.', ...WORKSPACES].flatMap((folder) => entriesOf(`./${folder}/package.json`)),
  },
  test: {
    // Order must not matter: every run shuffles, and prints the seed to repeat it with.
    sequence: { shuffle: true, sequencer: ProjectsTogether },
    // Many tests wait for real processes and sockets: more files than cores can be under way. Each worker loads the toolkit.
    maxWorkers: 4,
    // Processes, though threads are 4 % faster: a thread that cannot be ended hangs the whole run.
    pool: 'forks',
    restoreMocks: true,
    testTimeout: PATIENCE_MS * Math.max(1, Number(PROPERTY_RUNS ?? 0) / FEW_RUNS),
    hookTimeout: PATIENCE_MS,
    tags: PROGRAMS.map(({ name }) => ({ name })),
    env: {
      CHANCERY_TEST_AMBASSADOR: 'stand-in',
      // kubectl, buildah and others end before garbage matters: collecting it is a fifth of their time.
      GOGC: '400',
      PROPERTY_RUNS: PROPERTY_RUNS ?? String(FEW_RUNS),
    },
    setupFiles: ['test/support/property-setup.ts'],
    projects: [
      {
        // A worker keeps the toolkit for its next file: loading it anew was a third of the time.
        extends: true,
        test: {
          name: 'node',
          include: [FILES],
          exclude: [NOT_OURS, TOOLS, ...LONG, ...WHOLE_PROCESS, ...Object.values(LANES).flat()],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'whole-process',
          include: WHOLE_PROCESS,
          exclude: [NOT_OURS, TOOLS, ...LONG],
        },
      },
      ...Object.entries(LANES).map(([name, include]) => ({
        extends: true as const,
        test: {
          name,
          include: [...include],
          exclude: [NOT_OURS, TOOLS, ...LONG, ...WHOLE_PROCESS, ...LEFT_OUT_OF_LANES],
          isolate: false,
        },
      })),
      {
        extends: true,
        test: {
          name: 'long',
          include: LONG,
          exclude: [NOT_OURS, TOOLS, ...LEFT_OUT],
          globalSetup: [RUN_FOLDER],
          // Some take ten seconds of a core, and four share two.
          testTimeout: 3 * PATIENCE_MS,
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'tools',
          // No `exclude`: it would win over that of the command line, which leaves out what lacks its tools.
          include: TOOLS_TOGETHER,
          globalSetup: [RUN_FOLDER],
          isolate: false,
          env: AS_IN_A_CLUSTER,
        },
      },
      {
        extends: true,
        test: {
          name: 'tools-alone',
          include: TOOLS_ALONE,
          env: AS_IN_A_CLUSTER,
        },
      },
      {
        extends: true,
        test: {
          name: 'kubectl-proxy',
          include: BEHIND_AMBASSADOR,
          exclude: [TOOLS],
          isolate: false,
          env: AS_IN_A_CLUSTER,
        },
      },
      {
        extends: true,
        test: {
          name: 'again-properties',
          include: AGAIN,
          isolate: false,
          testTimeout: (PATIENCE_MS * Number(manyRuns)) / FEW_RUNS,
          env: { PROPERTY_RUNS: manyRuns },
        },
      },
    ],
  },
});
