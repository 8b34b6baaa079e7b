/** The facts about one reconcile of a key. The invariants and the descriptions of failed runs use them. */
export interface AttemptFacts {
  readonly controller: string;
  readonly key: string;
}
