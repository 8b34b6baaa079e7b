import { normalForm } from '../scenario/normal-form.ts';
import type { LoggedWrite } from '../scenario/scenario.ts';
import { called, type Violation } from './violation.ts';

/**
 * More than `MAX_FAST` writes of one object within this time, without a change by another writer, are a loop.
 */
const FAST_MS = 10_000;
const MAX_FAST = 20;
/**
 * The largest number of times that an object may return to an earlier state. A correction after a
 * race may do so once or twice.
 */
const MAX_RETURNS = 3;

/** The operator's writes to one object since the last change by another writer. */
interface Line {
  readonly times: number[];
  /**
   * The contents that the object has had since the last change by another writer, in the order of
   * the writes.
   */
  readonly forms: string[];
  returns: number;
}

/** No write loop: without a change by another writer, the operator stops writing. */
export class WriteLoops {
  readonly #lines = new Map<string, Line>();
  #inputs = 0;
  #last: { readonly write: LoggedWrite; readonly changes: boolean } | undefined;

  /**
   * @param inputs - the number of changes by other writers so far. Two changes can come at the same time.
   */
  wrote(write: LoggedWrite, inputs: number): Violation | undefined {
    if (inputs !== this.#inputs) {
      this.#inputs = inputs;
      this.#lines.clear();
    }
    if (write.by !== 'operator') return undefined;
    const form = normalForm(write.object, () => undefined) ?? '';
    const name = called(write.object);
    const line = this.#lines.get(name) ?? { times: [], forms: [], returns: 0 };
    this.#lines.set(name, line);
    const isChange = write.verb !== 'update' || line.forms.at(-1) !== form;
    if (isChange && form !== '') this.#last = { write, changes: true };
    if (isChange && line.forms.includes(form)) line.returns++;
    if (isChange) line.forms.push(form);
    line.times.push(write.atMs);
    return this.#looped(name, line, write.atMs);
  }

  /**
   * Checks that the operator wrote nothing new in the last third of the time in which it had to
   * come to rest.
   */
  atRest({ lastInputMs, nowMs }: { lastInputMs: number; nowMs: number }): Violation | undefined {
    const { write } = this.#last ?? {};
    if (write === undefined || write.atMs < lastInputMs + ((nowMs - lastInputMs) * 2) / 3) {
      return undefined;
    }
    return {
      invariant: 'comes to rest',
      message: `the operator does not come to rest: ${Math.round((write.atMs - lastInputMs) / 1_000)} s after the last change it still wrote ${called(write.object)}`,
    };
  }

  #looped(name: string, { times, returns }: Line, nowMs: number): Violation | undefined {
    const fast = times.filter((atMs) => atMs >= nowMs - FAST_MS).length;
    if (fast <= MAX_FAST && returns <= MAX_RETURNS) return undefined;
    const how =
      fast > MAX_FAST
        ? `${fast} times in ${FAST_MS / 1_000} s`
        : `back to what it was ${returns} times`;
    return {
      invariant: 'no write loop',
      message: `the operator wrote ${name} ${how}, and nobody else changed anything`,
    };
  }
}
