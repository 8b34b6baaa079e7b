import type { Logger } from '../manager/observe/logger.ts';
import type { LogLine } from './record-line.ts';

type Tell = (level: LogLine['level'], message: string, fields: LogLine['fields']) => void;

/** A logger that also passes warnings and errors to `tell`, even if the level of `logger` suppresses them. */
export function recordedLog(logger: Logger, tell: Tell, facts: object = {}): Logger {
  return {
    get level() {
      return logger.level;
    },
    set level(level) {
      logger.level = level;
    },
    child: (more) => recordedLog(logger.child(more), tell, { ...facts, ...more }),
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn(fields, message) {
      logger.warn(fields, message);
      tell('warn', message, { ...facts, ...fields });
    },
    error(fields, message) {
      logger.error(fields, message);
      tell('error', message, { ...facts, ...fields });
    },
  };
}
