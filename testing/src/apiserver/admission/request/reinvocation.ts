import { jsonEquals } from '../../objects/json-value.ts';
import type { StoredObject } from '../../objects/stored-object.ts';

/**
 * Decides which policies or webhooks with `reinvocationPolicy: IfNeeded` run a second time: those that had
 * already run when another plugin changed the object (k8s.io/apiserver,
 * pkg/admission/plugin/webhook/mutating/reinvocationcontext.go).
 */
export class Reinvocation {
  readonly #seen = new Set<string>();
  readonly #due = new Set<string>();
  #last: StoredObject | undefined;
  #again = false;

  /** Begins the second round. */
  begin(): void {
    this.#again = true;
  }

  /**
   * Call this at the start of each round, before the policies or webhooks run, with the current `object`.
   */
  enter(object: StoredObject | undefined): void {
    if (this.#again && !jsonEquals(object, this.#last)) this.changed();
  }

  leave(object: StoredObject | undefined): void {
    this.#last = object;
  }

  /** Whether a plugin runs in this round. The second round only runs plugins that are due. */
  takesPart(key: string): boolean {
    return !this.#again || this.#due.has(key);
  }

  /** Records a change of the object: every plugin that has run before is due again. */
  changed(): void {
    for (const key of this.#seen) this.#due.add(key);
    this.#seen.clear();
  }

  took(key: string, reinvocationPolicy: unknown): void {
    if (reinvocationPolicy === 'IfNeeded') this.#seen.add(key);
  }
}
