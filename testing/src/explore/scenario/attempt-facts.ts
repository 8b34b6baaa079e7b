/** One attempt at a key, as far as stories and invariants need it. */
export interface AttemptFacts {
  readonly controller: string;
  readonly key: string;
}
