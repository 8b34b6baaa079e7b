import { boundedText, MAX_TEXT_CHARS } from './text/visible-text.ts';

/**
 * The component at fault when an operation fails. A person who reads a log line needs to know this first.
 *
 * - `ambassador`: the `kubectl proxy` next to the operator is absent, hangs, or refused the request itself.
 * - `api-server`: Kubernetes answered with a failure.
 * - `protocol`: bytes arrived that the Kubernetes API does not send.
 * - `configuration`: a flag, an environment variable or a declaration is invalid.
 * - `user-code`: a reconciler, a mapping or a loaded module misbehaved.
 * - `process`: this process did not run, because it was suspended or stopped, or its event loop was blocked.
 */
export type Layer =
  | 'ambassador'
  | 'api-server'
  | 'protocol'
  | 'configuration'
  | 'user-code'
  | 'process';

/** Why an operation failed. This is a stable public API: codes may be added, but never renamed or reused. */
export type ErrorCode =
  | 'AMBASSADOR_UNREACHABLE' // nothing listens, or the connection broke before an answer
  | 'AMBASSADOR_TIMEOUT' // connected, but no answer in time: the proxy or its upstream hangs
  | 'AMBASSADOR_FORBIDDEN' // the filter of the proxy refused the request: 403 text/plain
  | 'AMBASSADOR_UPSTREAM' // the proxy answered, but could not reach the API server: 5xx text/plain
  | 'CONNECTION_LOST' // an answer began and did not end
  | 'API_STATUS' // the server answered with a Kubernetes Status of kind Failure
  | 'NOT_KUBERNETES' // an HTTP answer that no API server gives: a login page, a redirect
  | 'DECODE' // a body or a line that the protocol does not allow
  | 'CONFIG' // a flag, an environment variable or a declaration is unusable
  | 'TOKEN_VISIBLE' // an operator that must hold no credentials can read some
  | 'FILTER_OPEN' // the ambassador lets through requests that it must refuse
  | 'UNSERVED' // the API server does not serve a resource that is required
  | 'LEADERSHIP_LOST' // another replica may lead by now: this one must not write any more
  | 'NOT_SYNCED' // a cache was read before its first full list, or a dry run got no full list
  | 'ALREADY_OWNED' // an object that should become a child has another controller, or may not be adopted
  | 'BEING_DELETED' // an object must be gone before it can be created again
  | 'PROGRAM' // a program that the toolkit runs did not start, or broke a limit
  | 'USER_CODE'; // user code that the toolkit calls misbehaved

/**
 * Log-safe facts about a failure. They never contain object bodies, headers or tokens. An error cuts each
 * string to 2,048 characters.
 */
export type ErrorContext = Readonly<Record<string, string | number | boolean>>;

/** The facts of an error in addition to its message. */
interface OperatorErrorOptions extends ErrorOptions {
  readonly code: ErrorCode;
  readonly layer: Layer;
  readonly context?: ErrorContext;
}

/** Base of every error that the toolkit throws on purpose. Any other error is a bug. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
  /** Why the operation failed, for decisions in programs. */
  readonly code: ErrorCode;
  /** What is at fault. */
  readonly layer: Layer;
  /** Log-safe facts about the failure. Each string has at most 2,048 characters. */
  readonly context: ErrorContext;

  constructor(message: string, { code, layer, context = {}, ...native }: OperatorErrorOptions) {
    super(message, native);
    this.code = code;
    this.layer = layer;
    this.context = boundedContext(context);
  }
}

/** Limits the length of each string, because a string may come from a server. */
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
 * What is known about the effect of a request that failed in the transport.
 *
 * `not-sent`: the API server never saw the request, so it is always safe to repeat. `unknown`: the request
 * may have been carried out.
 */
export type RequestFate = 'not-sent' | 'unknown';

/** The facts of a transport error in addition to its message. */
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

/** The ambassador, or the connection to it, failed. The answer of the API server is unknown. */
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

/** A flag, an environment variable or a declaration is invalid. Retrying cannot help. */
export class ConfigurationError extends OperatorError {
  override readonly name = 'ConfigurationError';

  constructor(message: string, options: ErrorOptions & { context?: ErrorContext } = {}) {
    super(message, { ...options, code: 'CONFIG', layer: 'configuration' });
  }
}

/**
 * The operator refuses to run in an unsafe setup: it could read credentials, or make requests that it did
 * not declare. `chancery` exits with code 3.
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

/** This process is not the leader, so its writes could revert what the leader does. */
export class LeadershipLostError extends OperatorError {
  override readonly name = 'LeadershipLostError';

  /** @param options - `layer`: what prevented the renewal of the Lease. Default `api-server`. */
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

/** The message of an error. Any other thrown value is converted to a string. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
