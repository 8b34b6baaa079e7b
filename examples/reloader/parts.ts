/** What options and environment add to the engine: gates, observers, metrics and tasks of their own. */
import type { Controller, Runnable } from 'chancery';
import { systemClock } from 'chancery/low-level';
import type { Environment } from './contract/arguments.ts';
import { parseGoBoolean } from './contract/go-words.ts';
import type { Options } from './contract/options.ts';
import type { EngineParts } from './engine.ts';
import type { RestartGate } from './restart/gate.ts';
import { orderGate } from './restart/order.ts';
import { orderPeers } from './restart/order-peers.ts';
import { rolloutWaitGate } from './restart/rollout-wait.ts';
import { throttleGate } from './restart/throttle.ts';
import { noWindowGate, windowGate } from './restart/window.ts';
import { alerts } from './tell/alerts.ts';
import { metaInfoController } from './tell/meta-info.ts';
import { type ReloadMetrics, reloadMetrics } from './tell/metrics.ts';
import type { ReloadObserver } from './tell/observer.ts';

/**
 * The gates that the options ask for. The rollout is the first one: its ten minutes pass while a window is closed, too,
 * which may be open for less. The throttle is the last one: a turn is for a restart that nothing else delays.
 */
export function gatesOf(
  options: Options,
  parts: Pick<EngineParts, 'workloads' | 'resources'>,
): readonly RestartGate[] {
  const gates: RestartGate[] = [];
  if (options.waitForRollout) gates.push(rolloutWaitGate());
  gates.push(options.restartWindows ? windowGate() : noWindowGate);
  if (options.orderLabel !== undefined) {
    gates.push(
      orderGate({ label: options.orderLabel, peersOf: orderPeers({ options, ...parts }) }),
    );
  }
  if (options.throttle !== undefined) gates.push(throttleGate(options.throttle));
  return gates;
}

/** What tells others about restarts. */
export interface TellingParts {
  readonly metrics: ReloadMetrics;
  readonly observers: readonly ReloadObserver[];
  readonly runnables: readonly Runnable[];
  readonly controllers: readonly Controller[];
}

export function tellingParts(options: Options, environment: Environment): TellingParts {
  const metrics = reloadMetrics({
    byNamespace: options.metricsByNamespace,
    monotonic: () => systemClock.monotonic(),
    measuredApiUrl: measuredApiUrl(environment),
  });
  const sender = options.alert && {
    ...alerts({
      ...options.alert,
      timeoutMs: options.alertTimeoutMs,
      clock: systemClock,
      lost: () => metrics.lost('alert'),
    }),
  };
  return {
    metrics,
    observers: [metrics.observer, ...(sender ? [sender.observer] : [])],
    runnables: [metrics.durations, sender?.runnable].filter((each) => each !== undefined),
    controllers: options.metaInfo ? [metaInfoController(options.metaInfo, options.given)] : [],
  };
}

/** Undefined with `CHANCERY_METRICS_DETAILED`: then the toolkit has the metric, and a scrape has one of a name. */
function measuredApiUrl(environment: Environment): string | undefined {
  if (parseGoBoolean(environment.CHANCERY_METRICS_DETAILED ?? '') === true) return undefined;
  return environment.CHANCERY_API_URL ?? 'http://127.0.0.1:8001';
}
