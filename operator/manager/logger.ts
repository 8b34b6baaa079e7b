import type { Writable } from 'node:stream';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { OperatorError } from '../core/errors.ts';
import type { LogLevel } from './settings.ts';

/** Fields that may hold what must not be read in a log, wherever a caller put them. */
const SECRETS = ['data', 'stringData', '*.data', '*.stringData', '*.token', '*.authorization'];

/**
 * The process's logger: one JSON object a line on `destination`.
 *
 * Errors under `err` print with code, layer, context and cause. Whole objects must never be logged;
 * the redaction is for the day when somebody does.
 */
export function createLogger(level: LogLevel, destination: Writable): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRETS, censor: '[redacted]' },
      serializers: { err: describe },
    },
    destination as DestinationStream,
  );
}

/** Stacks are for bugs: an error that the toolkit throws on purpose says all in its fields. */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  if (!(error instanceof OperatorError)) return stdSerializers.err(error);
  const { name, code, layer, message, context, cause } = error;
  return {
    type: name,
    code,
    layer,
    message,
    ...(Object.keys(context).length > 0 && { context }),
    ...(cause !== undefined && { cause: cause instanceof Error ? cause.message : String(cause) }),
  };
}
