import type { Writable } from 'node:stream';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { messageOf, OperatorError } from '../core/errors.ts';
import type { LogLevel } from './settings.ts';

/** Fields that may hold what must not be read in a log, on their own or as part of an object. */
const SECRETS = ['data', 'stringData', 'token', 'authorization'].flatMap((name) => [
  name,
  `*.${name}`,
]);

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
  if (!(error instanceof OperatorError)) return bug(error);
  const { name, code, layer, message, context, cause } = error;
  const isBug = code === 'USER_CODE' && cause instanceof Error;
  return {
    type: name,
    code,
    layer,
    message,
    ...(Object.keys(context).length > 0 && { context }),
    ...(cause !== undefined && { cause: isBug ? describe(cause) : messageOf(cause) }),
  };
}

/** Only what every error has: libraries hang whole requests, with their headers, on theirs. */
function bug(error: Error & { readonly code?: unknown }): unknown {
  const { type, message, stack } = stdSerializers.err(error);
  return { type, ...(typeof error.code === 'string' && { code: error.code }), message, stack };
}
