import { jsonEquals } from '../../objects/json-value.ts';
import type { StoredObject } from '../../objects/stored-object.ts';

/**
 * Which policies or webhooks with `reinvocationPolicy: IfNeeded` see an object a second time: those that
 * have seen it before somebody else changed it (k8s.io/apiserver,
 * pkg/admission/plugin/webhook/mutating/reinvocationcontext.go).
 */
export class Reinvocation {
  readonly #seen = new Set<string>();
  readonly #due = new Set<string>();
  #last: StoredObject | undefined;
  #again = false;

  /** The second round begins. */
  begin(): void {
    this.#again = true;
  }

  /** The first or second turn of these plugins begins with `object`. */
  enter(object: StoredObject | undefined): void {
    if (this.#again && !jsonEquals(object, this.#last)) this.changed();
  }

  leave(object: StoredObject | undefined): void {
    this.#last = object;
  }

  /** In the second round only what is due takes part, and nothing for the first time. */
  takesPart(key: string): boolean {
    return !this.#again || this.#due.has(key);
  }

  /** The object is another one than those before have seen. */
  changed(): void {
    for (const key of this.#seen) this.#due.add(key);
    this.#seen.clear();
  }

  took(key: string, reinvocationPolicy: unknown): void {
    if (reinvocationPolicy === 'IfNeeded') this.#seen.add(key);
  }
}
