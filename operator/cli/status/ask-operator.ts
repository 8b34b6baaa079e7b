import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { boundedText, visibleText } from '../../core/text/visible-text.ts';
import type { Io } from '../command.ts';

/**
 * Time limit of an answer. An operator answers from memory, and an operator behind a slow tunnel
 * takes seconds.
 */
const ANSWER_LIMIT_MS = 10_000;

/**
 * Maximum size of an answer. The status of an operator with hundreds of sources has about 100 KiB.
 */
const ANSWER_LIMIT_BYTES = 16 * 1024 * 1024;

const DEFAULT_PORT = '8081';

/** The answer of an operator, or the reason why there is none. */
export type Asked<T> = { readonly answer: T } | { readonly problem: string };

/**
 * The address at which an operator answers probes.
 *
 * @param given - the value of `--url`.
 * @throws ConfigurationError `CONFIG` for a value that is not an address.
 */
export function operatorUrl(given: string | undefined, { env }: Pick<Io, 'env'>): URL {
  const { CHANCERY_HEALTH_PORT: port = DEFAULT_PORT } = env;
  const text = given ?? `http://127.0.0.1:${port}`;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const name = given === undefined ? 'CHANCERY_HEALTH_PORT' : '--url';
    const expected = given === undefined ? 'a port' : 'a URL such as http://127.0.0.1:8081';
    throw new ConfigurationError(
      `${name} must be ${expected}, not ${JSON.stringify(given ?? port)}`,
    );
  }
  return url;
}

/**
 * Requests one document of a running operator.
 *
 * @param path - the path with its query, without a slash before it.
 * @param isAnswer - returns true when the parsed JSON is the requested document.
 */
export async function askOperator<T>(
  operator: URL,
  path: string,
  isAnswer: (body: unknown) => body is T,
  stop: AbortSignal,
): Promise<Asked<T>> {
  const base = new URL(operator);
  base.pathname = base.pathname.replace(/\/*$/, '/');
  const shown = operator.href.replace(/\/$/, '');
  const signal = AbortSignal.any([stop, AbortSignal.timeout(ANSWER_LIMIT_MS)]);
  try {
    const response = await fetch(new URL(path, base), { signal, redirect: 'manual' });
    const text = await textOf(response);
    if (response.ok) return answerOf(text, shown, isAnswer);
    const says = isOurs(response) ? boundedText(visibleText(text.trim()), 500) : '';
    const [document] = path.split('?', 1);
    return {
      problem: says
        ? `${shown} answers ${response.status}: ${says}`
        : `what answers at ${shown} is no operator that knows /${document}: the answer is ${response.status}`,
    };
  } catch (error) {
    stop.throwIfAborted();
    const { cause } = error as { readonly cause?: unknown };
    const why = signal.aborted
      ? `no answer within ${ANSWER_LIMIT_MS / 1_000} s`
      : messageOf(cause ?? error);
    return {
      problem:
        `no operator answers at ${shown}: ${why}. ` +
        'In a cluster, run "kubectl -n NAMESPACE port-forward deploy/NAME 8081" first; --url names another address',
    };
  }
}

function answerOf<T>(
  text: string,
  shown: string,
  isAnswer: (body: unknown) => body is T,
): Asked<T> {
  try {
    const body: unknown = JSON.parse(text);
    if (isAnswer(body)) return { answer: body };
  } catch {
    // The answer is not JSON, so it does not come from an operator.
  }
  return {
    problem: `what answers at ${shown} is no operator of chancery: the answer has another form`,
  };
}

/**
 * True for an error that an operator itself has answered. At the port for probes, an operator
 * answers in plain text why it refuses a request, such as "404 page not found" for an unknown path.
 */
function isOurs({ status, headers }: Response): boolean {
  return status !== 502 && headers.get('content-type')?.startsWith('text/plain') === true;
}

async function textOf({ body }: Response): Promise<string> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > ANSWER_LIMIT_BYTES) throw new Error('the answer is larger than 16 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** True for an object that has lists under these names. */
export function hasLists(body: unknown, ...names: readonly string[]): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const members = body as Readonly<Record<string, unknown>>;
  return names.every((name) => Array.isArray(members[name]));
}
