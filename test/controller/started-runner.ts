import { FakeClock, RecordingMeter, settle } from '@chancery/testing';
import { expect, onTestFinished } from 'vitest';
import { type ControllerOptions, controller } from '../../operator/controller/controller.ts';
import type { Reconciler } from '../../operator/controller/reconciler.ts';
import type { RunObserver } from '../../operator/controller/run/run-observer.ts';
import { ControllerRunner } from '../../operator/controller/run/runner.ts';
import type { RunnerOptions } from '../../operator/controller/run/runner-options.ts';
import { type Source, source } from '../../operator/controller/source.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';
import { Informer } from '../../operator/store/informer.ts';
import { FakeCollection, type Thing } from '../support/fake-collection.ts';
import { noClient } from '../support/no-client.ts';
import { recordingLog } from '../support/recording-log.ts';

const resource = (plural: string) =>
  defineResource<Thing>({ group: '', version: 'v1', plural, kind: 'Thing', namespaced: true });
export const things = source(resource('things'));
export const others = source(resource('others'));
export const optional = source(resource('extras'), { optional: true });

type Settings = Pick<
  RunnerOptions,
  | 'cacheSyncTimeoutMs'
  | 'maxReconcileAgeMs'
  | 'queue'
  | 'reconcileTimeoutMs'
  | 'resyncPeriodMs'
  | 'showsDebug'
>;

/** A reconciler, and the settings of the runner that differ from the defaults. */
export interface Setup extends Settings {
  readonly reconcile: Reconciler<Thing>;
  readonly gone?: ControllerOptions<Thing>['gone'];
  readonly workers?: number;
  readonly watches?: Parameters<typeof controller<Thing>>[0]['watches'];
  readonly minIntervalMs?: number;
  readonly observe?: (clock: FakeClock) => RunObserver;
}

/** A runner over collections of its own, on a fake clock. `run` starts it; it ends with the test. */
export function start({ reconcile, gone, workers, watches = [], observe, ...more }: Setup) {
  const { minIntervalMs, ...settings } = more;
  const clock = new FakeClock();
  const meter = new RecordingMeter();
  const stop = new AbortController();
  const hardStop = new AbortController();
  const { lines, logFor } = recordingLog();
  const collections = new Map<Source, FakeCollection>();
  const informers = new Map<Source, Informer<Thing>>();
  const collection = (of: Source<Thing>): FakeCollection => {
    const known = collections.get(of) ?? new FakeCollection();
    collections.set(of, known);
    return known;
  };
  const runner = new ControllerRunner({
    controller: controller<Thing>({
      name: 'test',
      for: things,
      watches,
      reconcile,
      ...(gone && { gone }),
      ...(workers !== undefined && { maxConcurrentReconciles: workers }),
      ...(minIntervalMs !== undefined && { minIntervalMs }),
    }),
    informerFor: (of) => {
      const informer = new Informer<Thing>(
        collection(of as Source<Thing>),
        { statusChanged: () => {}, drifted: () => {}, handlerFailed: () => {} },
        { clock, random: () => 0, relistIntervalMs: 0 },
      );
      informers.set(of, informer);
      return informer as unknown as Informer<KubernetesObject>;
    },
    client: noClient,
    events: { record: () => {} },
    clock,
    self: { namespace: 'demo', podName: 'me' },
    logFor,
    meter,
    ...(observe && { observer: observe(clock) }),
    ...settings,
  });
  let running = Promise.resolve();
  let watching: Promise<unknown> = Promise.resolve();
  onTestFinished(async () => {
    stop.abort();
    hardStop.abort();
    await Promise.all([running, watching]);
    expect(clock.pending).toBe(0);
  });
  return {
    clock,
    lines,
    collection,
    runner,
    total: (result: string): number =>
      meter.value('controller_runtime_reconcile_total', { controller: 'test', result }),
    metric: (name: string): number => meter.value(name, { controller: 'test' }),
    seconds: (name: string): readonly number[] => meter.observations(name, { controller: 'test' }),
    stop: () => stop.abort(),
    hardStop: () => hardStop.abort(),
    run: async (): Promise<void> => {
      runner.attach();
      watching = Promise.all([...informers.values()].map((each) => each.run(hardStop.signal)));
      running = runner.run(stop.signal, hardStop.signal);
      await settle();
    },
    running: () => running,
  };
}
