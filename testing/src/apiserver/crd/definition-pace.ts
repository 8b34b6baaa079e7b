/** The delays of the steps in the life of a definition. */
export interface DefinitionPace {
  /** The delay from the creation or renaming of a definition until its names are accepted. */
  readonly namesMs: number;
  /** The delay from the acceptance of the names until the resource is served. */
  readonly establishMs: number;
  /** The delay from the first request to the resource until lists and watches of it are answered. */
  readonly warmUpMs: number;
  /**
   * How long the server delays a request that creates an object. Only requests that arrive within this time
   * after the definition was established are delayed.
   */
  readonly createHoldMs: number;
  /** The delay from the deletion of a definition until the deletion of its objects begins. */
  readonly cleanupMs: number;
  /**
   * How often the server checks whether the objects of a deleted definition are gone. With 0, it notices the
   * removal of the last object at once.
   */
  readonly cleanupPollMs: number;
}

/**
 * The delays of a real server. They are taken from recordings, except for two: creates wait 2 s so that other
 * servers can catch up, and the finalizer checks every 5 s whether objects are left.
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
