/** What `npm run check`, `measure`, `prove`, `bench` and `generate` know by name. */

/** One name after `npm run GROUP --`. */
export interface Script {
  readonly says: string;
  /** Arguments of Node, one list for each command. The commands run one after another. */
  readonly commands: readonly (readonly string[])[];
}

export interface Group {
  /** The names that run when none is given. Without them, the names are listed. */
  readonly usual?: readonly string[];
  readonly scripts: Readonly<Record<string, Script>>;
}

const SOURCES = '--conditions=chancery-source';
const BENCH = [SOURCES, '--disable-warning=ExperimentalWarning'];
const TSC = 'node_modules/typescript/bin/tsc';

const program = (says: string, ...command: readonly string[]): Script => ({
  says,
  commands: [command],
});

export const GROUPS: Readonly<Record<string, Group>> = {
  check: {
    usual: ['types', 'lint', 'architecture'],
    scripts: {
      types: {
        says: 'The compiler reads the sources as here, in a browser and as they are built.',
        commands: ['tsconfig.json', 'tsconfig.browser.json', 'tsconfig.published.json'].map(
          (config) => [TSC, '--noEmit', '-p', config],
        ),
      },
      lint: program('Biome reads every file.', 'node_modules/@biomejs/biome/bin/biome', 'ci', '.'),
      architecture: program(
        'Folders import only what the table of imports allows.',
        'node_modules/vitest/vitest.mjs',
        'run',
        '--project=node',
        '--project=testing',
        'test/architecture.test.ts',
      ),
      packages: program(
        'publint and attw read the archive of every package.',
        'test/lanes/packages.ts',
      ),
    },
  },
  measure: {
    scripts: {
      apiserver: program(
        'What the embedded API server costs: start, writes, watches and memory.',
        SOURCES,
        'test/measure/apiserver.ts',
      ),
      children: program(
        'What 20,000 children that are as they should be cost, and the memory of what was applied.',
        SOURCES,
        'test/measure/children.ts',
      ),
      dev: program('How long a save takes in `chancery dev`.', SOURCES, 'test/measure/dev.ts'),
      event: program(
        'Which files and functions an event goes through until its write is sent.',
        SOURCES,
        'test/measure/trace-event.ts',
      ),
      flight: program('What the flight recorder costs.', SOURCES, 'test/measure/flight.ts'),
      gate: program(
        'What the gate and its TLS add to the answer of a webhook.',
        SOURCES,
        'test/measure/gate.ts',
      ),
      hooks: program(
        'What `chancery hooks` costs, and what a hostile result costs the other hooks.',
        SOURCES,
        'test/measure/hooks.ts',
      ),
      lines: program(
        'How many lines the mechanisms for children and statuses have, before and now.',
        'test/measure/lines.ts',
      ),
      list: program(
        'How long the event loop stands still while 100,000 objects are listed.',
        'test/measure/list.ts',
      ),
      metacontroller: program(
        'What `chancery metacontroller` costs.',
        SOURCES,
        'test/measure/metacontroller.ts',
      ),
      operator: program('How much memory an operator needs.', SOURCES, 'test/measure/operator.ts'),
      relists: program(
        'What the spread of relists saves an API server.',
        SOURCES,
        'test/measure/relists.ts',
      ),
      reloader: program('What the example reloader costs.', SOURCES, 'test/measure/reloader.ts'),
      'reloader-patterns': program(
        'What hostile patterns cost the example reloader.',
        SOURCES,
        'test/measure/reloader-patterns.ts',
      ),
      sharding: program(
        'What replicas that share the work gain and cost: keys a second, memory, traffic, CPU.',
        SOURCES,
        'test/measure/sharding/main.ts',
      ),
      watch: program('What `chancery watch` costs.', 'test/measure/watch.ts'),
    },
  },
  prove: {
    scripts: {
      crashes: program(
        'Operators that are killed between any two of their calls leave nothing behind.',
        SOURCES,
        'test/crash/prove.ts',
      ),
      credentials: program(
        'An operator keeps working while tokens and certificates of its Pod are replaced.',
        SOURCES,
        'test/ambassador/prove.ts',
      ),
      exploration: program(
        'A seeded exploration has the same trace each time, 1,000 times.',
        SOURCES,
        'test/exploration/prove.ts',
      ),
      faults: program(
        'explore() finds what is wrong with small operators, and nothing in their corrected twins.',
        SOURCES,
        'testing/test/explore/prove.ts',
      ),
      hooks: program(
        'A hook misses nothing while the proxy, the API server and the leader are killed.',
        SOURCES,
        'examples/hooks/demo/main.ts',
      ),
      leadership: program(
        'A leader that was frozen writes nothing when it wakes.',
        SOURCES,
        'test/leadership/prove.ts',
      ),
      mutations: program(
        'npm test finds what 100 faults break: `--only N` for one, `--lane all` for all lanes.',
        'test/mutations/main.ts',
      ),
      pod: program(
        'Both images work as one Pod, from the rendered manifests.',
        SOURCES,
        'test/pod/prove.ts',
      ),
      readmes: program(
        'The README of every example does what it promises.',
        SOURCES,
        'examples/try/follow-main.ts',
      ),
      sharding: program(
        'Replicas that share the work have no object with two writers, and miss nothing, under kills.',
        SOURCES,
        'test/sharding/prove.ts',
      ),
    },
  },
  bench: {
    usual: ['clients'],
    scripts: {
      clients: program(
        'Side by side with other clients; `clients --help` lists its options.',
        ...BENCH,
        'bench/main.ts',
      ),
      scale: program('How costs grow.', ...BENCH, 'bench/scale/main.ts'),
      layers: program('Where the time of an event goes.', 'bench/layers/main.ts'),
    },
  },
  generate: {
    usual: ['examples', 'api', 'guarantees'],
    scripts: {
      api: program(
        'docs/api/, and the tables of commands, metrics and settings in other pages.',
        'test/api/main.ts',
      ),
      examples: program(
        'The manifests and packages of the examples.',
        SOURCES,
        'examples/generate.ts',
      ),
      diagrams: program('docs/images/*.svg, from docs/diagrams/.', 'docs/diagrams/main.ts'),
      guarantees: program(
        'docs/concepts/guarantees.md: what users may rely on, and the tests that show it.',
        'test/guarantees/main.ts',
      ),
      kubernetes: program(
        'The types, resources and lists of built-in kinds, from the data of Kubernetes.',
        SOURCES,
        'test/support/kubernetes-schema/generate-types.ts',
      ),
      sessions: program(
        'docs/images/session-*.svg: what `npm start` and `chancery dev` print, with kubectl.',
        SOURCES,
        'test/sessions/main.ts',
      ),
      pictures: program(
        'The pictures of the status page in docs/images, in the chromium that the tests use.',
        SOURCES,
        'test/manager/status-page/pictures.ts',
      ),
      'kubectl-lock': program(
        'The version and digests of kubectl in the image of the ambassador.',
        'proxy/lock-kubectl.ts',
      ),
    },
  },
};
