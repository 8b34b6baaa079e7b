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

/** What lines of replicas lead to. */
export interface Upstream {
  readonly url: string;
  /** Resolves when another process has passed on what it was sent before. Left out: it is this process. */
  readonly passes?: () => Promise<void>;
}

interface PlaceOptions extends Pick<TestEnvOptions, 'featureGates'> {
  /** Default: the API server, which grants everything. */
  readonly upstream?: (env: TestEnv, namespace: string) => Promise<Upstream>;
}

/** What is between a replica and the place. */
export interface Edges {
  /** Default: that of the place. */
  readonly clock?: Clock;
  /** Stands before its line. Default: nothing. */
  readonly before?: (line: string) => Promise<string>;
}

/** One API server and one clock, with replicas of an operator, each behind a line of its own. */
export class Place {
  readonly clock: FakeClock;
  readonly env: TestEnv;
  readonly namespace: string;
  /** The requests of all replicas that were passed on to the server. */
  readonly passed: Passage[] = [];
  /** Told of each of them before the server has it. */
  readonly witnesses: ((passage: Passage) => void)[] = [];
  readonly #upstream: Upstream;

  private constructor(clock: FakeClock, env: TestEnv, namespace: string, upstream: Upstream) {
    this.clock = clock;
    this.env = env;
    this.namespace = namespace;
    this.#upstream = upstream;
  }

  static async start({ upstream, ...options }: PlaceOptions = {}): Promise<Place> {
    const clock = new FakeClock();
    const authorization = upstream === undefined ? 'AlwaysAllow' : 'RBAC';
    const embedded = { clock, workloads: false, authorization } as const;
    const env = await startTestEnv({ environment: {}, embedded, ...options });
    onTestFinished(() => env.stop());
    const namespace = await env.namespace();
    return new Place(clock, env, namespace, (await upstream?.(env, namespace)) ?? env);
  }

  async replica(
    name: string,
    controllers: readonly Controller[],
    environment: Readonly<Record<string, string>> = STANDBY,
    runnables: readonly Runnable[] = [],
    { clock = this.clock, before = async (line) => line }: Edges = {},
  ): Promise<Replica> {
    let gate: RequestGate = {};
    const line = new RequestLine({
      server: this.#upstream.url,
      gate: {
        before: (call) => {
          if (gate.before?.(call) === 'hold') return 'hold';
          const passage = { who: name, call, atMs: this.clock.monotonic() };
          this.passed.push(passage);
          for (const witness of this.witnesses) witness(passage);
          return 'pass';
        },
        after: (call) => gate.after?.(call) ?? 'pass',
      },
    });
    await line.start();
    const operator = startOperator({
      url: await before(line.url),
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
    return {
      operator,
      get gate() {
        return gate;
      },
      set gate(next) {
        gate = next;
      },
    };
  }

  /** Moves time in steps of 500 ms, until `holds`; for `limitMs` at most. Returns whether it does. */
  async until(holds: () => boolean, limitMs = 60_000): Promise<boolean> {
    for (let ms = 0; !holds() && ms < limitMs; ms += 500) {
      await this.env.advance(500);
      await this.#settled();
    }
    return holds();
  }

  /** When nothing is on its way through another process any more. */
  async #settled(): Promise<void> {
    const { passes } = this.#upstream;
    if (passes === undefined) return;
    let before: number;
    do {
      before = this.passed.length;
      await passes();
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
