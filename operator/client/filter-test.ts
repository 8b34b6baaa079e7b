import type { Clock } from '../core/clock.ts';
import { AmbassadorError, OperatorError, UnsafeSetupError } from '../core/errors.ts';
import { isUnserved } from '../model/not-found.ts';
import { ApiError } from '../model/status.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport/transport.ts';
import { readAnswer } from './answer.ts';
import { isJson } from './response-failure.ts';

/** A flag of `kubectl proxy` that blocks requests. */
export type Fence = '--accept-paths' | '--reject-methods';

/**
 * How the ambassador's filter handled the requests of the test.
 *
 * - `closed`: it refused them.
 * - `open`: at least one of them reached the API server, because the flags in `missing` are not set.
 * - `shut`: it also refuses requests that it must accept, so nothing works.
 * - `undecided`: not known yet. The string `why` stays the same while nothing changes.
 */
export type FilterVerdict =
  | { readonly state: 'closed' | 'shut' }
  | { readonly state: 'open'; readonly missing: readonly Fence[] }
  | { readonly state: 'undecided'; readonly why: string };

/** A path that no controller declares, because no API server has it. */
const UNDECLARED: Probe = { method: 'GET', path: '/chancery-self-test' };

/**
 * A request with a method that every generated filter rejects, on a path that every generated
 * filter accepts.
 */
const REJECTED: Probe = { method: 'OPTIONS', path: '/version' };

/** A request that every generated filter accepts. */
const VERSION: Probe = { method: 'GET', path: '/version' };
const ACCEPTED: readonly Probe[] = [
  VERSION,
  { method: 'POST', path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', body: '{}' },
];

type Probe = Pick<TransportRequest, 'method' | 'path' | 'body'>;

/**
 * Time limit of one request in milliseconds. The ambassador refuses a request in less than a millisecond, and
 * an API server answers in a few milliseconds.
 */
const TIMEOUT_MS = 10_000;

/**
 * Sends two requests that the filter must refuse. They do no harm if it lets them through. If it refuses
 * both, sends two requests that it must accept. Rejects only when aborted.
 */
export async function testFilter(
  transport: Transport,
  options: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<FilterVerdict> {
  const fences = await testFences(transport, options);
  if (fences.state !== 'closed') return fences;
  const answers = await Promise.all(ACCEPTED.map((each) => probe(transport, each, options)));
  return answers.every((answer) => answer === 'refused') ? { state: 'shut' } : fences;
}

/** The first half of `testFilter`: tests if the filter refuses the requests that it must refuse. */
export async function testFences(
  transport: Transport,
  options: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Exclude<FilterVerdict, { readonly state: 'shut' }>> {
  const [path, method] = await Promise.all(
    [UNDECLARED, REJECTED].map((each) => whoAnswers(transport, each, options)),
  );
  const missing: Fence[] = [
    ...(path === 'reached' ? (['--accept-paths'] as const) : []),
    ...(method === 'reached' ? (['--reject-methods'] as const) : []),
  ];
  if (missing.length > 0) return { state: 'open', missing };
  for (const answer of [path, method]) {
    if (typeof answer === 'object') return { state: 'undecided', why: answer.why };
  }
  return { state: 'closed' };
}

/** The error for an open filter. Its message contains the flags that are missing. */
export function filterOpen(missing: readonly Fence[]): UnsafeSetupError {
  const texts = missing.map((fence) => WHAT_IS_OPEN[fence]);
  return new UnsafeSetupError(
    `the ambassador's filter is open: ${texts.join('; ')}. Make the arguments of kubectl proxy with ` +
      'chancery generate proxy',
    { code: 'FILTER_OPEN', context: { missing: missing.join(', ') } },
  );
}

const WHAT_IS_OPEN: Readonly<Record<Fence, string>> = {
  '--accept-paths':
    `${UNDECLARED.method} ${UNDECLARED.path}, which no controller declares, reached the API server: ` +
    '--accept-paths accepts every path when it is not given, with --disable-filter, and when one of ' +
    'its elements is empty, for which a comma at the end is enough',
  '--reject-methods':
    `${REJECTED.method} ${REJECTED.path}, a method that is never used, reached the API server: ` +
    '--reject-methods rejects nothing when it is not given',
};

/** Advice for a filter that refuses everything. */
export const FILTER_SHUT: string =
  'the ambassador refuses every path, even /version: generate its arguments with chancery generate ' +
  'proxy';

/**
 * Which program answered a request, or why that is not known. `unserved`: a 404 in plain text. An API server
 * before 1.38 sends it for an unknown path, and `kubectl proxy` for a path outside its prefix.
 */
type Outcome = 'refused' | 'reached' | 'unserved' | { readonly why: string };

async function whoAnswers(
  transport: Transport,
  asked: Probe,
  options: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Exclude<Outcome, 'unserved'>> {
  const outcome = await probe(transport, asked, options);
  if (outcome !== 'unserved') return outcome;
  // A 404 may also mean that the path is outside of the proxy's prefix. Then `/version` is outside of it,
  // too, and gets a 404 as well.
  const version = await probe(transport, VERSION, options);
  return version === 'reached' ? 'reached' : { why: `${asked.path} is not served` };
}

async function probe(
  transport: Transport,
  { method, path, body }: Probe,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Outcome> {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  let response: TransportResponse | undefined;
  try {
    response = await transport.send({
      method,
      path,
      headers,
      ...(body !== undefined && { body }),
      purpose: 'call',
      headersTimeoutMs: TIMEOUT_MS,
      signal,
    });
    // Only the API server sets this header. It gives every request that it receives an audit ID, whatever the
    // answer is.
    const seen = response.headers['audit-id'] !== undefined;
    if (seen) response.body.destroy();
    else await readAnswer(response, clock);
    return 'reached';
  } catch (error) {
    signal.throwIfAborted();
    return outcomeOf(error, isJson(response?.headers ?? {}));
  }
}

/**
 * The outcome that a failure means. An answer without a Status may come from any server between the operator
 * and the API server.
 */
function outcomeOf(error: unknown, isStatus: boolean): Outcome {
  if (!(error instanceof OperatorError)) throw error;
  if (error instanceof AmbassadorError && error.code === 'AMBASSADOR_FORBIDDEN') return 'refused';
  if (!(error instanceof ApiError)) return { why: error.code };
  if (isUnserved(error) && !isStatus) return 'unserved';
  const isBusy = error.status === 429 || error.status === 503;
  return isBusy ? { why: `the API server answers ${error.status}` } : 'reached';
}
