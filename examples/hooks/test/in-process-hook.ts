/** A hook whose program is a function of this process: the runner as it is, without children, files and threads. */
import { type Runnable, runnable } from 'chancery';
import { yamlWork } from '../../../operator/core/yaml-thread/yaml-work.ts';
import { knownKinds } from '../../../operator/model/known-kinds.ts';
import { parseConfig } from '../../../packages/hooks/src/config/parse-config.ts';
import { kindResolver } from '../../../packages/hooks/src/discovery/resolve-kind.ts';
import { HookEngine } from '../../../packages/hooks/src/engine/hook-engine.ts';
import type { Hook } from '../../../packages/hooks/src/hook.ts';
import type { Jq } from '../../../packages/hooks/src/jq/jq.ts';
import { HookMetrics } from '../../../packages/hooks/src/metrics/hook-metrics.ts';
import { type HookOutcome, newHookRun } from '../../../packages/hooks/src/run/new-hook-run.ts';
import { filteredSource } from '../../../packages/hooks/src/watch/filtered-source.ts';
import { watchBindings } from '../../../packages/hooks/src/watch/watch-bindings.ts';
import { WatchPlan } from '../../../packages/hooks/src/watch/watch-plan.ts';

/** What a hook is told last: the objects of each binding, as its filter has reduced them. */
export type Snapshots = Readonly<Record<string, readonly { readonly filterResult: never }[]>>;

export interface InProcessHook {
  readonly name: string;
  /** Its answer to `--config`. */
  readonly config: object;
  readonly rights: NonNullable<Hook['rights']>;
  /** Filter → what jq would make of an object. */
  readonly filters: Readonly<Record<string, (object: never) => unknown>>;
  /** What it writes into its patch file. */
  readonly patches: (snapshots: Snapshots) => readonly object[];
}

const NO_USAGE = { userCpuSeconds: 0, systemCpuSeconds: 0, maxRssBytes: 0 };

/** The runner of one hook. */
export function inProcessHook({ filters, patches, ...declared }: InProcessHook): Runnable {
  const { name, rights } = declared;
  const hook: Hook = { name, path: `/${name}`, rights, config: parseConfig(declared.config) };
  const known = knownKinds();
  const jq = jqOf(filters);
  let engine: HookEngine | undefined;
  return runnable({
    name: 'hooks',
    stopPhase: 'controllers',
    idle: () => engine?.idle ?? false,
    async run(signal, context) {
      const { client, clock, log, meter } = context;
      const ignored = (): void => {};
      const made = { jq, clock, filterFailed: ignored, filterTook: ignored };
      const plan = new WatchPlan([hook], known, (...given) => filteredSource(...given, made));
      const kinds = kindResolver(known, (kind, stop) => context.discover(kind, stop));
      const newRun = newHookRun({
        ...{ client, jq, clock, log, meter },
        yaml: { read: async (request) => yamlWork(request) },
        metrics: new HookMetrics(() => undefined),
        resolve: (kind, apiVersion, stop) => kinds.resolve(kind, apiVersion, stop),
        invoke: async (_hook, _facts, contexts) => outcomeOf(contexts, patches),
      });
      engine = new HookEngine({
        ...{ hooks: [hook], newRun, clock, log, meter, maxProcesses: 1, maxAttempts: undefined },
        watchBinding: watchBindings({ plan, kinds, context }),
      });
      await engine.run(signal);
    },
  });
}

function outcomeOf(contexts: Iterable<string>, patches: InProcessHook['patches']): HookOutcome {
  const told = JSON.parse([...contexts].join('')) as readonly { readonly snapshots: Snapshots }[];
  const documents = patches(told.at(-1)?.snapshots ?? {});
  const text = documents.map((each) => JSON.stringify(each)).join('\n');
  return { exitCode: 0, patches: text, metrics: '', responses: [], usage: NO_USAGE };
}

/** jq is a thread, whose answers would come in real time. */
function jqOf(filters: InProcessHook['filters']): Jq {
  return {
    check: async () => {},
    run: async (program, inputs) =>
      inputs.map((text) => {
        const filter = filters[program];
        if (filter === undefined) throw new Error(`no function stands in for ${program}`);
        return { outputs: [JSON.stringify(filter(JSON.parse(text) as never))] };
      }),
    close: async () => {},
  };
}
