import { missingRules, needsText, ruleYaml } from '../../access/missing-access.ts';
import type { Placement } from '../../access/placement.ts';
import type { Connection } from '../../client/connection.ts';
import {
  FILTER_SHUT,
  type FilterVerdict,
  filterOpen,
  testFences,
  testFilter,
} from '../../client/filter-test.ts';
import type { Declared } from '../../controller/access-declaration.ts';
import type { Log } from '../../controller/reconciler.ts';
import { exponentialBackoff } from '../../core/backoff.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import { OperatorError } from '../../core/errors.ts';
import { checkAccess } from './access-check.ts';

export interface SelfTestOptions {
  readonly connection: Pick<Connection, 'transport' | 'clientFor'>;
  readonly declarations: readonly Declared[];
  readonly placement: Placement;
  readonly clock: Clock;
  readonly log: Log;
}

/** Field manager of the test requests. No stored object carries it. */
const FIELD_MANAGER = 'chancery-self-test';

/**
 * Milliseconds between two attempts while the result is undecided. A restarting ambassador is soon available
 * again.
 */
const AGAIN = { initialMs: 250, maxMs: 30_000 } as const;

/** Checks the ambassador and the operator's own rights when the process starts. */
export class SelfTest {
  readonly #options: SelfTestOptions;
  #isFilterTested = false;

  constructor(options: SelfTestOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the filter has refused every request that it must refuse. It waits while the result is
   * undecided.
   *
   * @throws UnsafeSetupError `FILTER_OPEN` when the filter passes a request that it must refuse.
   * @throws `signal.reason` when aborted.
   */
  async requireFilter(signal: AbortSignal): Promise<void> {
    const verdict = await this.#decided(
      () => testFences(this.#options.connection.transport, { ...this.#options, signal }),
      signal,
    );
    if (verdict.state === 'open') throw filterOpen(verdict.missing);
    this.#isFilterTested = true;
  }

  /**
   * Logs which forbidden requests the filter passes, and which rights are missing. Rejects only when aborted.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { connection, log } = this.#options;
    const verdict = await this.#decided(
      () => testFilter(connection.transport, { ...this.#options, signal }),
      signal,
    );
    if (verdict.state === 'open' && !this.#isFilterTested) {
      log.warn({ err: filterOpen(verdict.missing) }, 'the filter of the ambassador is open');
    }
    if (verdict.state === 'shut') {
      log.error({ hint: FILTER_SHUT }, 'the ambassador refuses everything');
      return;
    }
    const missing = await this.#missingRights(signal);
    const facts = { filter: verdict.state, ...(missing !== undefined && { missing }) };
    log.info(facts, 'self-test of the ambassador is done');
  }

  /**
   * The number of missing rules, each of which is logged. Undefined when the API server or the filter refuses
   * the check.
   */
  async #missingRights(signal: AbortSignal): Promise<number | undefined> {
    const { connection, log } = this.#options;
    const client = connection.clientFor(FIELD_MANAGER);
    const asked = await this.#decided(async () => {
      try {
        const report = await checkAccess({ ...this.#options, client, signal });
        return { state: 'asked', rules: missingRules(report.missing) } as const;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof OperatorError)) throw error;
        // A refusal is permanent. Any other failure may be temporary.
        return isRefusal(error)
          ? ({ state: 'refused', error } as const)
          : ({ state: 'undecided', why: error.code } as const);
      }
    }, signal);
    if (asked.state === 'refused') {
      log.warn(
        { err: asked.error },
        'rights cannot be checked, so missing rights are not reported',
      );
      return undefined;
    }
    for (const { kind, namespace, rule, text, neededBy } of asked.rules) {
      const place = { role: kind, ...(namespace !== undefined && { namespace }) };
      const facts = { right: text, neededBy: needsText(neededBy), ...place, rule: ruleYaml(rule) };
      log.warn(facts, 'a declared right is missing, add the rule');
    }
    return asked.rules.length;
  }

  /** Calls `ask` until its result is no longer undecided. Logs each reason for an undecided result once. */
  async #decided<V extends { readonly state: string }>(
    ask: () => Promise<V | { readonly state: 'undecided'; readonly why: string }>,
    signal: AbortSignal,
  ): Promise<Exclude<V, { readonly state: 'undecided' }>> {
    const { clock, log } = this.#options;
    const again = exponentialBackoff(AGAIN);
    const reported = new Set<string>();
    for (;;) {
      const answer = await ask();
      if (!isUndecided(answer)) return answer as Exclude<V, { readonly state: 'undecided' }>;
      if (!reported.has(answer.why)) {
        reported.add(answer.why);
        log.info({ reason: answer.why }, 'self-test of the ambassador is postponed');
      }
      await sleep(clock, again.nextMs(), signal);
    }
  }
}

function isUndecided(answer: {
  readonly state: string;
}): answer is FilterVerdict & { readonly state: 'undecided' } {
  return answer.state === 'undecided';
}

/** True when the filter or the API server refuses the request, or does not support it. */
function isRefusal(error: OperatorError): boolean {
  return error.code === 'AMBASSADOR_FORBIDDEN' || /^40[345]$/.test(`${error.context.status}`);
}
