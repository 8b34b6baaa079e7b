import type { Logger } from '../../manager/observe/logger.ts';

/**
 * Maximum number of objects for which a line is logged. More would hide the lines of the operator's
 * own code.
 */
const MAX_OBJECTS = 20;

/**
 * A logger that logs the first successful reconcile of each object at the level info, for at most
 * 20 objects per process. It passes everything else to `logger` unchanged.
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

/** The message that a controller logs at the level debug after each reconcile without an error. */
const RECONCILED = 'reconciled';
