/** How long the steps in the life of a definition take. */
export interface DefinitionPace {
  /** From a definition, or new names of one, until the names are accepted. */
  readonly namesMs: number;
  /** From there until the resource is served. */
  readonly establishMs: number;
  /** From the first request until lists and watches are answered. */
  readonly warmUpMs: number;
  /** How long a create waits, and for how long after the establishing one does. */
  readonly createHoldMs: number;
  /** From the deletion of a definition until the one of its objects begins. */
  readonly cleanupMs: number;
  /** Between two looks whether its objects are gone; 0: the last one is noticed at once. */
  readonly cleanupPollMs: number;
}

/**
 * What a real server takes: the steps as recorded of one, the 2 s by which creates let other servers
 * catch up, and the 5 s between the looks of its finalizer.
 */
export const REAL_PACE: DefinitionPace = {
  namesMs: 20,
  establishMs: 15,
  warmUpMs: 50,
  createHoldMs: 2_000,
  cleanupMs: 5,
  cleanupPollMs: 5_000,
};

export const NO_PACE: DefinitionPace = {
  namesMs: 0,
  establishMs: 0,
  warmUpMs: 0,
  createHoldMs: 0,
  cleanupMs: 0,
  cleanupPollMs: 0,
};
