import { isDeepStrictEqual } from 'node:util';
import type { CrashScenario, Killable, TestEnv } from '@chancery/testing';
import { consistently, startOperator, startTestEnv } from '@chancery/testing';
import type { Controller } from '../../operator/controller/controller.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { resourceName } from '../../operator/model/resource.ts';
import { startProcess } from './operator-process.ts';

/** What one operator has to do, and what is to be there afterwards wherever it was killed. */
export interface Sample {
  readonly name: string;
  /** What `chancery run` is given; its default export is `controller`. */
  readonly module: URL;
  readonly controller: Controller;
  /** What has to be there before: manifests that name no namespace. */
  readonly manifests: readonly (URL | string | readonly KubernetesObject[])[];
  /** What people do while it runs. May wait for what the operator does. */
  readonly act: (env: TestEnv, namespace: string) => Promise<unknown>;
  /** Plain data about what there is, and what has happened. */
  readonly outcome: (env: TestEnv, namespace: string) => Promise<unknown>;
  readonly expected: unknown;
}

/** In this process, where a kill is imitated; or in one of its own, which gets SIGKILL. */
export type Runs = 'in process' | 'as a process';

/** A process takes a second to start, and many on a busy machine. */
const TIMEOUT_MS = 60_000;

/** How long nothing may change any more: many times what a reconcile on loopback takes. */
const QUIET_MS: Readonly<Record<Runs, number>> = { 'in process': 100, 'as a process': 200 };

/**
 * `sample` for `crashPoints`. A run has come to its end when the outcome is the expected one, the
 * operator has started again and watches, and the outcome stays: what the second life of an operator
 * does too much comes late.
 */
export function crashScenario(sample: Sample, runs: Runs): CrashScenario {
  const { manifests, module, controller, act, outcome, expected } = sample;
  const watches = { verb: 'watch', resource: resourceName(controller.for.resource) } as const;
  /** Of each run, by its namespace: several are under way at a time. */
  const runsByNamespace = new Map<string, { readonly env: TestEnv; watchesBefore: number }>();

  const asExpected = async (env: TestEnv, namespace: string): Promise<true> => {
    const { watchesBefore = Number.POSITIVE_INFINITY } = runsByNamespace.get(namespace) ?? {};
    if (env.requests.count(watches) <= watchesBefore) throw new Error('the operator does not run');
    const found = await outcome(env, namespace);
    if (isDeepStrictEqual(found, expected)) return true;
    throw new Error(`there is ${JSON.stringify(found)}, and not ${JSON.stringify(expected)}`);
  };
  return {
    env: () =>
      startTestEnv({
        environment: {},
        embedded: { workloads: { podReadyMs: 20, podStopMs: 10 } },
      }),
    async arrange(env, namespace) {
      runsByNamespace.set(namespace, { env, watchesBefore: Number.POSITIVE_INFINITY });
      for (const manifest of manifests) await env.apply(manifest, { namespace });
    },
    async start(url, namespace): Promise<Killable> {
      const run = runsByNamespace.get(namespace);
      if (run === undefined) throw new Error(`nothing was arranged in ${namespace}`);
      run.watchesBefore = run.env.requests.count(watches);
      const operator =
        runs === 'in process'
          ? startOperator({ url, namespace, controllers: [controller] })
          : startProcess(module, url, namespace);
      return {
        kill() {
          run.watchesBefore = Number.POSITIVE_INFINITY;
          return operator.kill();
        },
      };
    },
    act,
    async until(env, namespace) {
      await asExpected(env, namespace);
      return consistently(() => asExpected(env, namespace), { forMs: QUIET_MS[runs] });
    },
    state: outcome,
    timeoutMs: TIMEOUT_MS,
  };
}
