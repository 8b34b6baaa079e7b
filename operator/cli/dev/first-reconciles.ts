import type { Logger } from '../../manager/observe/logger.ts';

/** Objects for which the log has a line. More would hide the lines of the operator's own code. */
const MAX_OBJECTS = 20;

/**
 * A logger that shows the first successful reconcile of each object at the level info, for at most 20 objects
 * of the process. Everything else is as in `logger`.
 */
export function withFirstReconciles(logger: Logger): Logger {
  const seen = new Set<string>();
  const of = (inner: Logger, facts: Readonly<Record<string, unknown>>): Logger => ({
    get level() {
      return inner.level;
    },
    set level(level) {
      inner.level = level;
    },
    child: (more) => of(inner.child(more), { ...facts, ...more }),
    debug: (fields, message) => {
      inner.debug(fields, message);
      const id = `${facts.controller} ${facts.key}`;
      if (message !== RECONCILED || seen.has(id) || seen.size >= MAX_OBJECTS) return;
      seen.add(id);
      inner.info({}, 'reconciled for the first time');
    },
    info: (fields, message) => inner.info(fields, message),
    warn: (fields, message) => inner.warn(fields, message),
    error: (fields, message) => inner.error(fields, message),
  });
  return of(logger, {});
}

/** What a controller logs after each reconcile without an error, at the level debug. */
const RECONCILED = 'reconciled';
