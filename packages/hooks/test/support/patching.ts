/** The run of one hook whose starts leave prepared files. No process is started. */
import { FakeClock, RecordingMeter } from '@chancery/testing';
import type { Client } from '../../../../operator/client/client.ts';
import type { Clock } from '../../../../operator/core/clock.ts';
import { ConfigurationError } from '../../../../operator/core/errors.ts';
import { defineResource, type Resource } from '../../../../operator/model/resource.ts';
import { type LogLine, recordingLog } from '../../../../test/support/recording-log.ts';
import type { Hook, HookRight } from '../../src/hook.ts';
import type { Jq, JqOutcome } from '../../src/jq/jq.ts';
import { HookMetrics } from '../../src/metrics/hook-metrics.ts';
import { HookError } from '../../src/run/hook-error.ts';
import { newHookRun } from '../../src/run/new-hook-run.ts';
import { NO_BINDINGS, YAML_HERE } from './documents.ts';

/** What one start leaves. */
export interface Leaving {
  /** The patch file, as text or as documents. Default: empty. */
  readonly patches?: string | readonly object[];
  readonly metrics?: string;
  readonly responses?: readonly string[];
  readonly exitCode?: number;
  /** It does not end by itself. */
  readonly error?: Error;
}

interface Options {
  readonly client: Client;
  /** What each start leaves; the last one is that of all later starts. */
  readonly leaves: readonly Leaving[];
  /** Default: every right that the tests need. */
  readonly rights?: readonly HookRight[];
  readonly jq?: (object: unknown) => readonly unknown[];
  readonly strictPatches?: boolean;
  readonly clock?: Clock;
  readonly metrics?: HookMetrics;
}

interface PreparedRun {
  /** Undefined after a success. */
  attempt(): Promise<HookError | undefined>;
  /** How often the hook was started. */
  starts(): number;
  readonly lines: readonly LogLine[];
  readonly metrics: HookMetrics;
  readonly meter: RecordingMeter;
}

const KINDS: readonly Resource[] = [
  ['', 'v1', 'configmaps', 'ConfigMap'],
  ['apps', 'v1', 'deployments', 'Deployment'],
].map(([group = '', version = '', plural = '', kind = '']) =>
  defineResource({ group, version, plural, kind, namespaced: true }),
);
const NODES = defineResource({
  ...{ group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false },
});

export const ALL_RIGHTS: readonly HookRight[] = [
  {
    apiGroups: ['', 'apps'],
    resources: ['configmaps', 'deployments', 'deployments/status', 'nodes'],
    verbs: ['get', 'create', 'update', 'patch', 'delete'],
  },
];

export function preparedRun(options: Options): PreparedRun {
  const { client, leaves, rights = ALL_RIGHTS, clock = new FakeClock() } = options;
  const { lines, logFor } = recordingLog();
  const metrics = options.metrics ?? new HookMetrics(() => undefined);
  const meter = new RecordingMeter();
  let starts = 0;
  const newRun = newHookRun({
    invoke: async (_hook, _facts, contexts) => {
      if ([...contexts].join('') !== '[]') throw new Error('the contexts did not arrive');
      const { patches = '', exitCode = 0, ...left } = leaves[starts] ?? leaves.at(-1) ?? {};
      starts += 1;
      if (left.error !== undefined) throw left.error;
      return {
        exitCode,
        patches: typeof patches === 'string' ? patches : patches.map(lineOf).join(''),
        metrics: left.metrics ?? '',
        responses: left.responses ?? [],
        usage: { userCpuSeconds: 0.25, systemCpuSeconds: 0.5, maxRssBytes: 1_024 },
      };
    },
    resolve: async (kind) => {
      const found = [...KINDS, NODES].find((resource) => resource.kind === kind);
      if (found === undefined) throw new ConfigurationError(`no kind ${kind}`);
      return found;
    },
    ...{ client, jq: jqOf(options.jq), yaml: YAML_HERE, metrics, clock, log: logFor({}), meter },
    ...(options.strictPatches && { strictPatches: true }),
  });
  const run = newRun(hookNamed('garden/rows.sh', rights), { binding: 'crops', queue: 'main' });
  const attempt = async (): Promise<HookError | undefined> => {
    try {
      await run.attempt(() => ['[', ']'], new AbortController().signal);
      return undefined;
    } catch (error) {
      if (error instanceof HookError) return error;
      throw error;
    }
  };
  return { attempt, starts: () => starts, lines, metrics, meter };
}

const lineOf = (document: object): string => `${JSON.stringify(document)}\n`;

function hookNamed(name: string, rights: readonly HookRight[]): Hook {
  return { name, path: `/hooks/${name}`, rights, config: NO_BINDINGS };
}

/** Stands for every program: what it answers is the test's. */
function jqOf(answer: (object: unknown) => readonly unknown[] = () => []): Jq {
  return {
    check: async (program) => {
      if (!program.endsWith('|')) return;
      throw new ConfigurationError(`not a jq program: ${program} is not defined`);
    },
    run: async (_program, inputs): Promise<readonly JqOutcome[]> =>
      inputs.map((text) => ({
        outputs: answer(JSON.parse(text)).map((output) => JSON.stringify(output)),
      })),
    close: async () => {},
  };
}

/** A ConfigMap of the namespace `farm`. */
export function configMap(name: string, data: Readonly<Record<string, string>> = {}) {
  const metadata = { name, namespace: 'farm' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}

/** Names a ConfigMap of the namespace `farm` in a document. */
export function named(name: string) {
  return { kind: 'ConfigMap', namespace: 'farm', name } as const;
}
