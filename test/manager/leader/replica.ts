import type { LoggedRequest, TestEnv, TestEnvOptions } from '@chancery/testing';
import {
  FakeClock,
  type RequestGate,
  RequestLine,
  startOperator,
  startTestEnv,
  type TestOperator,
} from '@chancery/testing';
import { onTestFinished } from 'vitest';
import type { Controller } from '../../../operator/controller/controller.ts';
import type { Clock } from '../../../operator/core/clock.ts';
import type { Runnable } from '../../../operator/manager/runnable.ts';

export const STANDBY = { CHANCERY_ON_LEADERSHIP_LOST: 'standby' };

/** A request of a replica, when it came through its line, on the clock that all share. */
export interface Passage {
  readonly who: string;
  readonly call: LoggedRequest;
  readonly atMs: number;
}

export interface Replica {
  readonly operator: TestOperator;
  /** Decides about its requests; replaced by tests. */
  gate: RequestGate;
}

/** One API server and one clock, with replicas of an operator, each behind a line of its own. */
export class Place {
  readonly clock: FakeClock;
  readonly env: TestEnv;
  readonly namespace: string;
  /** Resolves when another process has passed on what it was sent before. Undefined: all is in this process. */
  passes: (() => Promise<void>) | undefined;
  /** All that were started. */
  readonly replicas: Replica[] = [];
  /** The requests of all replicas that were passed on to the server. */
  readonly passed: Passage[] = [];
  /** Where replicas that start from now on find the API server. */
  server: string;

  private constructor(clock: FakeClock, env: TestEnv, namespace: string) {
    this.clock = clock;
    this.env = env;
    this.namespace = namespace;
    this.server = env.url;
  }

  /** @param authorization - default: everybody may do everything. */
  static async start(
    options: Pick<TestEnvOptions, 'featureGates'> = {},
    authorization: 'AlwaysAllow' | 'RBAC' = 'AlwaysAllow',
  ): Promise<Place> {
    const clock = new FakeClock();
    const embedded = { clock, workloads: false, authorization } as const;
    const env = await startTestEnv({ environment: {}, embedded, ...options });
    onTestFinished(() => env.stop());
    return new Place(clock, env, await env.namespace());
  }

  async replica(
    name: string,
    controllers: readonly Controller[],
    environment: Readonly<Record<string, string>> = STANDBY,
    runnables: readonly Runnable[] = [],
    clock: Clock = this.clock,
  ): Promise<Replica> {
    let gate: RequestGate = {};
    const line = new RequestLine({
      server: this.server,
      gate: {
        before: (call) => {
          if (gate.before?.(call) === 'hold') return 'hold';
          this.passed.push({ who: name, call, atMs: this.clock.monotonic() });
          return 'pass';
        },
        after: (call) => gate.after?.(call) ?? 'pass',
      },
    });
    await line.start();
    const operator = startOperator({
      url: line.url,
      namespace: this.namespace,
      controllers,
      runnables,
      clock,
      leaderElection: { namespace: this.namespace },
      environment: { POD_NAME: name, ...environment },
    });
    onTestFinished(async () => {
      await operator.kill();
      await line.cut();
    });
    const replica: Replica = {
      operator,
      get gate() {
        return gate;
      },
      set gate(next) {
        gate = next;
      },
    };
    this.replicas.push(replica);
    return replica;
  }

  /** Moves time in steps of 500 ms, until `holds`; for `limitMs` at most. Returns whether it does. */
  async until(holds: () => boolean, limitMs = 60_000): Promise<boolean> {
    for (let ms = 0; !holds() && ms < limitMs; ms += 500) {
      await this.env.advance(500);
      await this.#passed();
    }
    return holds();
  }

  async #passed(): Promise<void> {
    if (this.passes === undefined) return;
    let before: number;
    do {
      before = this.passed.length;
      await this.passes();
      await this.env.settled();
    } while (this.passed.length > before);
  }

  /** Writes of `who` to config maps that were passed on between the two times. */
  writes(who: string, fromMs: number, toMs = Number.POSITIVE_INFINITY): readonly Passage[] {
    return this.passed.filter(
      ({ who: by, call, atMs }) =>
        by === who &&
        call.resource === 'configmaps' &&
        isWrite(call) &&
        atMs >= fromMs &&
        atMs < toMs,
    );
  }
}

export function isWrite({ verb }: LoggedRequest): boolean {
  return verb !== 'get' && verb !== 'list' && verb !== 'watch';
}

/** Nothing comes through. */
export const OUTAGE: RequestGate = { before: () => 'hold' };
