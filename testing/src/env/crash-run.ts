import { isDeepStrictEqual } from 'node:util';
import { messageOf, OperatorError } from 'chancery/internal-objects';
import { eventually } from '../time/eventually.ts';
import { withOwnOperators } from '../time/running-operators.ts';
import type { TestBackend } from './choose-backend.ts';
import { RequestLine } from './request-line.ts';
import type { LoggedRequest } from './request-log.ts';
import { startTestEnv } from './start-test-env.ts';
import type { TestEnv } from './test-env.ts';

/** An operator under test: the result of `startOperator`, or a process of your own. */
export interface Killable {
  /** Ends the operator at once, like SIGKILL. */
  kill(): Promise<void>;
}

export interface CrashScenario {
  /**
   * Starts a cluster for one run. Runs overlap, so each run needs a separate cluster. If omitted,
   * `startTestEnv()` is called.
   */
  readonly env?: () => Promise<TestEnv>;
  /** Creates the objects that exist before the operator starts. */
  readonly arrange: (env: TestEnv, namespace: string) => Promise<unknown>;
  /**
   * Starts the operator. This function is called at the beginning and again after the crash, each time with a
   * different URL. It must not wait until the operator is ready, because the crash may come earlier.
   */
  readonly start: (url: string, namespace: string) => Promise<Killable> | Killable;
  /**
   * Acts on the cluster once while the operator runs, before or after the crash. `until` is called
   * afterwards.
   */
  readonly act?: (env: TestEnv, namespace: string) => Promise<unknown>;
  /**
   * Returns true when the operator has done everything. This function is called again and again until it
   * returns true.
   */
  readonly until: (env: TestEnv, namespace: string) => Promise<unknown>;
  /**
   * The state to compare with the run without a crash: plain data, without values that differ
   * between runs (`withoutServerFields`, and the name of the namespace).
   */
  readonly state: (env: TestEnv, namespace: string) => Promise<unknown>;
  /**
   * Selects the calls at which the operator is killed. This function is called once for each call. If
   * omitted, all calls are selected. `env` differs between runs.
   */
  readonly calls?: (call: LoggedRequest, env: TestEnv) => boolean;
  /**
   * Called for each place after the restarted operator has reached the same state, for progress
   * reports. The places are passed in order, even if a later run has ended first.
   */
  readonly passed?: (point: CrashPoint) => void;
  /** The time limit for a run to reach the same state, in milliseconds. Default 10 s. */
  readonly timeoutMs?: number;
  /** The largest number of runs, in case an operator never stops calling. Default 500. */
  readonly maxRuns?: number;
  /**
   * The number of runs that are active at a time. Default 4 on the embedded server. Default 1 on all other
   * servers, because there the runs would share a machine or a cluster. Use 1 if the scenario's functions
   * keep state between calls, such as a FakeClock, because they are called for several runs in turn.
   */
  readonly parallel?: number;
}

/** A place where the operator was killed. */
export interface CrashPoint {
  /**
   * `before`: the call was not sent. `after`: the call was carried out, and the answer did not
   * arrive.
   */
  readonly when: 'before' | 'after';
  /** The number of the operator's call, counted from 1. */
  readonly nth: number;
  readonly call: LoggedRequest;
}

export interface CrashOutcome {
  readonly state: unknown;
  /** How many calls the operator has made at which the test could have killed it. */
  readonly calls: number;
  readonly backend: TestBackend;
  /** The place at which the operator was killed. Undefined if the run ended before the planned call. */
  readonly point: CrashPoint | undefined;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/** One run of a scenario, with at most one crash. */
export class CrashRun {
  readonly #scenario: CrashScenario;
  readonly #planned: Pick<CrashPoint, 'when' | 'nth'> | undefined;
  readonly #numbers = new Map<LoggedRequest, number>();
  readonly #crash = Promise.withResolvers<void>();
  readonly #lines: RequestLine[] = [];
  readonly #operators = new Set<Killable>();
  #point: CrashPoint | undefined;

  constructor(scenario: CrashScenario, planned: Pick<CrashPoint, 'when' | 'nth'> | undefined) {
    this.#scenario = scenario;
    this.#planned = planned;
  }

  /** @param expected - the state to reach; undefined for the run that determines it. */
  play(expected: { readonly state: unknown } | undefined): Promise<CrashOutcome> {
    return withOwnOperators(() => this.#play(expected));
  }

  async #play(expected: { readonly state: unknown } | undefined): Promise<CrashOutcome> {
    const { env: startEnv = () => startTestEnv(), arrange } = this.#scenario;
    await using env = await startEnv();
    const namespace = await env.namespace();
    await arrange(env, namespace);
    const started = this.#start(env, namespace, true);
    const restarted = this.#crash.promise.then(async () => {
      await this.#lines[0]?.cut();
      await this.#kill(await started);
      await this.#start(env, namespace, false);
    });
    try {
      await started;
      const working = this.#work(env, namespace, expected);
      const state = await Promise.race([working, restarted.then(() => working)]);
      const calls = this.#numbers.size;
      return { state, calls, backend: env.backend, point: this.#point };
    } catch (error) {
      throw this.#named(error);
    } finally {
      if (this.#point !== undefined) await restarted.catch(() => {});
      for (const operator of this.#operators) await this.#kill(operator);
      for (const line of this.#lines) await line.cut();
    }
  }

  async #start(env: TestEnv, namespace: string, isFirst: boolean): Promise<Killable> {
    const gate = {
      before: (call: LoggedRequest) => this.#pass('before', call, env),
      after: (call: LoggedRequest) => this.#pass('after', call, env),
    };
    const line = new RequestLine({ server: env.url, ...(isFirst ? { gate } : {}) });
    await line.start();
    this.#lines.push(line);
    const operator = await this.#scenario.start(line.url, namespace);
    this.#operators.add(operator);
    return operator;
  }

  async #kill(operator: Killable): Promise<void> {
    if (this.#operators.delete(operator)) await operator.kill();
  }

  /**
   * Waits until `until` is true. In a run with a crash, also waits until the state equals the state
   * of the run without a crash.
   */
  async #work(
    env: TestEnv,
    namespace: string,
    expected: { readonly state: unknown } | undefined,
  ): Promise<unknown> {
    const { act, until, state, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#scenario;
    await act?.(env, namespace);
    await eventually(() => until(env, namespace), { timeoutMs });
    if (expected === undefined) return state(env, namespace);
    return eventually(() => equalState(() => state(env, namespace), expected.state), { timeoutMs });
  }

  /** Called before and after the server handles a request of the operator under test. */
  #pass(when: CrashPoint['when'], call: LoggedRequest, env: TestEnv): 'pass' | 'hold' {
    if (this.#point !== undefined) return 'hold'; // a killed operator sends nothing more
    if (when === 'before' && this.#scenario.calls?.(call, env) !== false) {
      this.#numbers.set(call, this.#numbers.size + 1);
    }
    const nth = this.#numbers.get(call);
    const isHere = nth === this.#planned?.nth && when === this.#planned?.when;
    if (!isHere || nth === undefined) return 'pass';
    this.#point = { when, nth, call };
    this.#crash.resolve();
    return 'hold';
  }

  #named(error: unknown): OperatorError {
    const at = this.#point === undefined ? 'without a crash' : `killed ${placeOf(this.#point)}`;
    return failed(`${at}: ${messageOf(error)}`, error);
  }
}

async function equalState(read: () => Promise<unknown>, expected: unknown): Promise<true> {
  const found = await read();
  if (isDeepStrictEqual(found, expected)) return true;
  throw failed(
    `the state is ${JSON.stringify(found)}, without a crash ${JSON.stringify(expected)}`,
  );
}

function placeOf({ when, nth, call }: CrashPoint): string {
  const sub = call.subresource === undefined ? '' : `/${call.subresource}`;
  const name = call.name === undefined ? '' : ` ${call.name}`;
  const what = `call ${nth} (${call.verb} ${call.resource || call.path}${sub}${name})`;
  return when === 'before'
    ? `before ${what} was sent`
    : `after ${what} was carried out, before its answer`;
}

function failed(message: string, cause?: unknown): OperatorError {
  return new OperatorError(message, { code: 'USER_CODE', layer: 'user-code', cause });
}
