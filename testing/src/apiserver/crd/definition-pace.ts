/** The delays of the steps in the life of a definition. */
export interface DefinitionPace {
  /** From the creation or renaming of a definition until its names are accepted. */
  readonly namesMs: number;
  /** From the accepted names until the resource is served. */
  readonly establishMs: number;
  /** From the first request until lists and watches are answered. */
  readonly warmUpMs: number;
  /**
   * How long a create waits, and for how long after the definition was established creates wait.
   */
  readonly createHoldMs: number;
  /** From the deletion of a definition until the deletion of its objects begins. */
  readonly cleanupMs: number;
  /**
   * The interval between checks whether the objects are removed. 0 means that the removal of the
   * last object is noticed at once.
   */
  readonly cleanupPollMs: number;
}

/**
 * The delays of a real server: steps as recorded from a real server, the 2 s for which creates wait
 * so that other servers can catch up, and the 5 s between the checks of its finalizer.
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
