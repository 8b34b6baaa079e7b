import { isDeepStrictEqual } from 'node:util';
import { messageOf, OperatorError } from 'chancery/internal-objects';
import { eventually } from '../time/eventually.ts';
import { withOwnOperators } from '../time/running-operators.ts';
import type { TestBackend } from './choose-backend.ts';
import { RequestLine } from './request-line.ts';
import type { LoggedRequest } from './request-log.ts';
import { startTestEnv } from './start-test-env.ts';
import type { TestEnv } from './test-env.ts';

/** An operator under test: what `startOperator` returns, or a process of your own. */
export interface Killable {
  /** At once, as SIGKILL does. */
  kill(): Promise<void>;
}

export interface CrashScenario {
  /** A cluster for one run, and no other: runs overlap. Default: `startTestEnv()`. */
  readonly env?: () => Promise<TestEnv>;
  /** What there is before the operator starts. */
  readonly arrange: (env: TestEnv, namespace: string) => Promise<unknown>;
  /**
   * Starts the operator, at first and again after the crash, with another URL. It must not wait until
   * the operator is ready: the crash may come before.
   */
  readonly start: (url: string, namespace: string) => Promise<Killable> | Killable;
  /** What happens while the operator runs, once, wherever the crash is. `until` is asked after it. */
  readonly act?: (env: TestEnv, namespace: string) => Promise<unknown>;
  /** True when the operator has done all it should: asked again until then. */
  readonly until: (env: TestEnv, namespace: string) => Promise<unknown>;
  /**
   * What is compared with the run without a crash: plain data, without what differs from run to run
   * (`withoutServerFields`, and the name of the namespace).
   */
  readonly state: (env: TestEnv, namespace: string) => Promise<unknown>;
  /** Which of its calls to crash at, asked once for each. Default: every one. `env` differs from run to run. */
  readonly calls?: (call: LoggedRequest, env: TestEnv) => boolean;
  /**
   * Told of each place when the operator, started again, has come to the same state: for progress. The places
   * come in their order, also when a later run has ended first.
   */
  readonly passed?: (point: CrashPoint) => void;
  /** How long a run may take to come to the same state. Default 10 s. */
  readonly timeoutMs?: number;
  /** Runs at most, against an operator that never ends calling. Default 500. */
  readonly maxRuns?: number;
  /**
   * How many runs are under way at a time. Default 4 on the embedded server and 1 on others, where they would share
   * a machine or a cluster. Say 1 when the functions of the scenario keep something from one call to the next, such
   * as a FakeClock: they are called for several runs in turn.
   */
  readonly parallel?: number;
}

/** A place where the operator was killed. */
export interface CrashPoint {
  /** `before`: the call was not sent. `after`: it was carried out, and the answer did not come. */
  readonly when: 'before' | 'after';
  /** Which of the operator's calls it was, from 1. */
  readonly nth: number;
  readonly call: LoggedRequest;
}

export interface CrashOutcome {
  readonly state: unknown;
  /** How many calls of the operator were places to be killed at. */
  readonly calls: number;
  readonly backend: TestBackend;
  /** Undefined when the operator made fewer calls. */
  readonly point: CrashPoint | undefined;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/** A scenario once, with at most one crash. */
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

  /** @param expected - the state to come to; undefined when it is this run that finds it out. */
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

  /** Until what should be done is done: and, of a run with a crash, as in the one without. */
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

  /** Asked of every request on the line of the operator that is to be killed. */
  #pass(when: CrashPoint['when'], call: LoggedRequest, env: TestEnv): 'pass' | 'hold' {
    if (this.#point !== undefined) return 'hold'; // nothing more comes from a dead operator
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
