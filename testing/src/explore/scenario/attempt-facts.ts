/** The facts about one reconcile of a key that stories and invariants need. */
export interface AttemptFacts {
  readonly controller: string;
  readonly key: string;
}
