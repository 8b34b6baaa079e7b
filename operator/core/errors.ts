import { boundedText, MAX_TEXT_CHARS } from './visible-text.ts';

/**
 * Who is at fault when an operation fails. A person who reads a log line needs this first.
 *
 * - `ambassador`: the `kubectl proxy` beside us is absent, hung, or refused the request itself.
 * - `api-server`: Kubernetes answered, with a failure.
 * - `protocol`: bytes arrived, but not the ones that the Kubernetes API promises.
 * - `configuration`: a flag, an environment variable or a declaration is unusable as it is.
 * - `user-code`: a reconciler, a mapping or a loaded module misbehaved.
 * - `process`: this process did not run: suspended, stopped, or its event loop blocked.
 */
export type Layer =
  | 'ambassador'
  | 'api-server'
  | 'protocol'
  | 'configuration'
  | 'user-code'
  | 'process';

/** Why an operation failed. Stable public API: a code may be added, never renamed or reused. */
export type ErrorCode =
  | 'AMBASSADOR_UNREACHABLE' // nothing listens, or the connection broke before an answer
  | 'AMBASSADOR_TIMEOUT' // connected, but no answer in time: the proxy or its upstream hangs
  | 'AMBASSADOR_FORBIDDEN' // the proxy's own filter refused: 403 text/plain
  | 'AMBASSADOR_UPSTREAM' // the proxy answered, but could not reach the API server: 5xx text/plain
  | 'CONNECTION_LOST' // an answer began and did not end
  | 'API_STATUS' // the server answered with a Kubernetes Status of kind Failure
  | 'NOT_KUBERNETES' // an HTTP answer that no API server gives: a login page, a redirect
  | 'DECODE' // a body or a line that is not what the protocol promises
  | 'CONFIG' // a flag, an environment variable or a declaration is unusable
  | 'TOKEN_VISIBLE' // credentials are in the reach of an operator that must hold none
  | 'FILTER_OPEN' // the ambassador lets through what it must refuse
  | 'UNSERVED' // the API server does not have a resource that cannot be done without
  | 'LEADERSHIP_LOST' // another replica may lead by now: this one must not write any more
  | 'NOT_SYNCED' // a cache was read before its first full list, or a dry run got none
  | 'ALREADY_OWNED' // an object that was to be a child belongs to somebody else
  | 'BEING_DELETED' // an object must be gone before it can be made again
  | 'USER_CODE'; // code that the toolkit runs for its user misbehaved

/**
 * Log-safe facts about a failure. Never object bodies, headers or tokens. An error keeps 2,048 characters
 * of a text.
 */
export type ErrorContext = Readonly<Record<string, string | number | boolean>>;

/** What an error says beside its message. */
interface OperatorErrorOptions extends ErrorOptions {
  readonly code: ErrorCode;
  readonly layer: Layer;
  readonly context?: ErrorContext;
}

/** Base of every error this toolkit throws on purpose; anything else that escapes is a bug. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
  /** Why the operation failed: what a program branches on. */
  readonly code: ErrorCode;
  /** Who is at fault. */
  readonly layer: Layer;
  /** Log-safe facts about the failure. Texts have 2,048 characters at most. */
  readonly context: ErrorContext;

  constructor(message: string, { code, layer, context = {}, ...native }: OperatorErrorOptions) {
    super(message, native);
    this.code = code;
    this.layer = layer;
    this.context = boundedContext(context);
  }
}

/** A server may have said what stands there. */
function boundedContext(context: ErrorContext): ErrorContext {
  const isBounded = Object.values(context).every(
    (fact) => typeof fact !== 'string' || fact.length <= MAX_TEXT_CHARS,
  );
  if (isBounded) return context;
  const bounded = Object.entries(context).map(([name, fact]) => [
    name,
    typeof fact === 'string' ? boundedText(fact) : fact,
  ]);
  return Object.fromEntries(bounded) as ErrorContext;
}

/**
 * What is known about a request that failed in transport.
 *
 * `not-sent`: the API server never saw it, so that repeating it is always safe.
 * `unknown`: it may have been carried out.
 */
export type RequestFate = 'not-sent' | 'unknown';

/** What an error of the transport says beside its message. */
interface TransportErrorOptions extends ErrorOptions {
  readonly code:
    | 'AMBASSADOR_UNREACHABLE'
    | 'AMBASSADOR_TIMEOUT'
    | 'AMBASSADOR_FORBIDDEN'
    | 'AMBASSADOR_UPSTREAM'
    | 'CONNECTION_LOST';
  readonly fate: RequestFate;
  readonly context?: ErrorContext;
}

/** The ambassador, or the way to it, failed; the API server's opinion is not known. */
export class AmbassadorError extends OperatorError {
  override readonly name = 'AmbassadorError';
  /** `not-sent`: the API server never saw the request. `unknown`: it may have been carried out. */
  readonly fate: RequestFate;

  constructor(message: string, { fate, ...options }: TransportErrorOptions) {
    super(message, { ...options, layer: 'ambassador' });
    this.fate = fate;
  }
}

/** Bytes arrived that the Kubernetes API does not send. */
export class ProtocolError extends OperatorError {
  override readonly name = 'ProtocolError';

  constructor(
    message: string,
    options: ErrorOptions & { code: 'NOT_KUBERNETES' | 'DECODE'; context?: ErrorContext },
  ) {
    super(message, { ...options, layer: 'protocol' });
  }
}

/** A flag, an environment variable or a declaration is unusable; retrying cannot help. */
export class ConfigurationError extends OperatorError {
  override readonly name = 'ConfigurationError';

  constructor(message: string, options: ErrorOptions & { context?: ErrorContext } = {}) {
    super(message, { ...options, code: 'CONFIG', layer: 'configuration' });
  }
}

/**
 * The operator refuses to run where it is: what keeps credentials from it, or it from what it did not
 * declare, is not in place. `chancery` ends with exit code 3.
 */
export class UnsafeSetupError extends OperatorError {
  override readonly name = 'UnsafeSetupError';

  constructor(
    message: string,
    options: ErrorOptions & {
      readonly code: 'TOKEN_VISIBLE' | 'FILTER_OPEN';
      readonly context?: ErrorContext;
    },
  ) {
    super(message, {
      ...options,
      layer: options.code === 'FILTER_OPEN' ? 'ambassador' : 'configuration',
    });
  }
}

/** This process does not lead, so that a write of it could undo what the leader does. */
export class LeadershipLostError extends OperatorError {
  override readonly name = 'LeadershipLostError';

  /** @param options - `layer`: who kept the Lease from being renewed. Default `api-server`. */
  constructor(
    message: string,
    {
      layer = 'api-server',
      ...options
    }: ErrorOptions & {
      readonly layer?: Layer;
      readonly context?: ErrorContext;
    } = {},
  ) {
    super(message, { ...options, code: 'LEADERSHIP_LOST', layer });
  }
}

/** The text of anything that was thrown, for messages. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
