/** A schedule. */
export interface Crontab {
  /** The first time after `after`. Undefined: there is none, as for 30 February. */
  next(after: Date): Date | undefined;
}

/** @throws ConfigurationError `CONFIG` for a text that is no schedule. */
export declare function parseCrontab(text: string): Crontab;
