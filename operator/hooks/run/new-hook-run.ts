import type { Client } from '../../client/client.ts';
import type { Log } from '../../controller/reconciler.ts';
import type { Clock } from '../../core/clock.ts';
import type { Meter } from '../../core/metrics.ts';
import type { Jq } from '../../jq/jq.ts';
import type { Resource } from '../../model/resource.ts';
import type { Hook } from '../hook.ts';
import type { HookMetrics } from '../metrics/hook-metrics.ts';
import type { HookRunFacts, NewHookRun } from './hook-run.ts';

/** What a hook that ended by itself has left. */
export interface HookOutcome {
  readonly exitCode: number;
  /** The text of its patch file. */
  readonly patches: string;
  /** The text of its metrics file. */
  readonly metrics: string;
  readonly usage: {
    readonly userCpuSeconds: number;
    readonly systemCpuSeconds: number;
    readonly maxRssBytes: number;
  };
}

/**
 * Starts a hook once and waits for its end.
 *
 * @param contexts - the array for `BINDING_CONTEXT_PATH`, as JSON.
 */
export type InvokeHook = (
  hook: Hook,
  facts: HookRunFacts,
  contexts: string,
  signal: AbortSignal,
) => Promise<HookOutcome>;

/**
 * The resource of a kind, as a patch names it.
 *
 * @throws ConfigurationError `CONFIG` when there is no such kind.
 */
export type ResolveKind = (
  kind: string,
  apiVersion: string | undefined,
  signal: AbortSignal,
) => Promise<Resource>;

/** The parts that all runs of all hooks share. */
export interface HookRunParts {
  readonly invoke: InvokeHook;
  /** Its answers should have exact integers, because `JQPatch` and `CreateOrUpdate` write what they read. */
  readonly client: Client;
  readonly resolve: ResolveKind;
  readonly jq: Jq;
  readonly metrics: HookMetrics;
  /** Refuse unknown fields of a document. Default false: they are logged. */
  readonly strictPatches?: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

/** Makes the runs of hooks: start, checks, patches and metrics. */
export declare function newHookRun(parts: HookRunParts): NewHookRun;
