import type { Writable } from 'node:stream';
import { type DestinationStream, type Logger as Pino, pino, stdSerializers } from 'pino';
import type { Log } from '../../controller/reconciler.ts';
import { messageOf, OperatorError } from '../../core/errors.ts';
import { boundedText, visibleJson } from '../../core/text/visible-text.ts';
import { redactedFields } from '../safety/redacted.ts';
import type { LogFormat, LogLevel } from '../settings/settings.ts';
import { isTerminal, prettyLines, showsColours } from './pretty-log.ts';

/** A logger with a level. */
export interface Logger extends Log {
  /** The level of this logger and of all loggers with the same root, including those created earlier. */
  level: LogLevel;
  /** The same logger with additional fields in every line. The child costs nothing until it writes a line. */
  child(facts: Readonly<Record<string, unknown>>): Logger;
}

export interface LoggerOptions {
  /**
   * `json`: one JSON object per line. `pretty`: one line for people. `auto`: `pretty` when the destination
   * is a terminal. Default `json`.
   */
  readonly format?: LogFormat;
  /** The variables `NO_COLOR` and `FORCE_COLOR` are read from this record. Default: neither is set. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * The logger of the process. It writes one JSON object per line to `destination`, or human-readable lines.
 *
 * Errors are printed with code, layer, context and cause. Callers must never log whole Kubernetes objects. If
 * a caller does so by mistake, members that may be secrets become `[redacted]` at every depth, and the middle
 * of long strings is removed, see `redactedFields`. A message has at most 2,048 characters.
 */
export function createLogger(
  level: LogLevel,
  destination: Writable,
  options: LoggerOptions = {},
): Logger {
  const shared = { level };
  const isPretty = isForPeople(destination, options);
  const described = isPretty ? describedWithStack : describeError;
  const root = pino(
    {
      level: 'debug', // `SharedLevelLogger` decides which lines are shown
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => redactedFields(fields, described),
      },
      serializers: { err: (described: unknown) => described },
    },
    isPretty
      ? prettily(destination, options, () => shared.level === 'debug')
      : visibly(destination),
  );
  return new SharedLevelLogger(() => root, shared);
}

function isForPeople(destination: Writable, { format = 'json' }: LoggerOptions): boolean {
  return format === 'pretty' || (format === 'auto' && isTerminal(destination));
}

function prettily(
  destination: Writable,
  { environment = {} }: LoggerOptions,
  showsDebug: () => boolean,
): DestinationStream {
  const colour = showsColours(environment, isTerminal(destination));
  const textOf = prettyLines({ colour, showsDebug });
  return {
    write: (line) => {
      const text = textOf(line);
      if (text !== undefined) destination.write(text);
    },
  };
}

/** Escapes invisible characters: a line may quote untrusted text, and people read logs on terminals. */
function visibly(destination: Writable): DestinationStream {
  return { write: (line) => void destination.write(visibleJson(line)) };
}

const SEVERITY: Readonly<Record<LogLevel, number>> = { debug: 20, info: 30, warn: 40, error: 50 };

/**
 * A pino child keeps the level at which it was created. These loggers follow the level of their
 * root.
 */
class SharedLevelLogger implements Logger {
  readonly #pino: () => Pino;
  readonly #shared: { level: LogLevel };

  constructor(pinoOf: () => Pino, shared: { level: LogLevel }) {
    this.#pino = pinoOf;
    this.#shared = shared;
  }

  get level(): LogLevel {
    return this.#shared.level;
  }

  set level(level: LogLevel) {
    this.#shared.level = level;
  }

  child(facts: Readonly<Record<string, unknown>>): Logger {
    let own: Pino | undefined;
    const parent = this.#pino;
    // Most reconciles log no visible line, and creating a pino child costs more than writing a line.
    return new SharedLevelLogger(() => {
      own ??= parent().child({ ...redactedFields(facts, describeError) });
      return own;
    }, this.#shared);
  }

  debug(fields: object, message: string): void {
    if (this.#shows('debug')) this.#pino().debug(fields, bounded(message));
  }

  info(fields: object, message: string): void {
    if (this.#shows('info')) this.#pino().info(fields, bounded(message));
  }

  warn(fields: object, message: string): void {
    if (this.#shows('warn')) this.#pino().warn(fields, bounded(message));
  }

  error(fields: object, message: string): void {
    if (this.#shows('error')) this.#pino().error(fields, bounded(message));
  }

  #shows(level: LogLevel): boolean {
    return SEVERITY[level] >= SEVERITY[this.#shared.level];
  }
}

/** Limits the length of a message. The message can be missing if the caller is JavaScript. */
function bounded(message: string): string {
  return typeof message === 'string' ? boundedText(message) : message;
}

/**
 * An error as the log prints it. Stacks are printed only for bugs: an error that the toolkit throws on
 * purpose has all facts in its fields.
 */
export function describeError(error: unknown): unknown {
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
    ...(cause !== undefined && {
      cause: isBug ? describeError(cause) : boundedText(messageOf(cause)),
    }),
  };
}

/** People want to see which line of their code led to an error of the toolkit. */
function describedWithStack(error: unknown): unknown {
  const described = describeError(error);
  if (!(error instanceof OperatorError)) return described;
  return { ...(described as object), stack: error.stack };
}

/**
 * Keeps only the standard members of an error. Libraries attach whole requests, with headers, to their
 * errors.
 */
function bug(error: Error & { readonly code?: unknown }): unknown {
  const { type, message, stack } = stdSerializers.err(error);
  return { type, ...(typeof error.code === 'string' && { code: error.code }), message, stack };
}
