import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { boundedText, visibleText } from '../../core/text/visible-text.ts';
import type { Io } from '../command.ts';

/** An operator answers from memory; one behind a slow tunnel takes seconds. */
const ANSWER_LIMIT_MS = 10_000;

/** The status of an operator with hundreds of sources has some 100 KiB. */
const ANSWER_LIMIT_BYTES = 16 * 1024 * 1024;

const DEFAULT_PORT = '8081';

/** What an operator has answered, or why it has not. */
export type Asked<T> = { readonly answer: T } | { readonly problem: string };

/**
 * The address at which an operator answers probes.
 *
 * @param given - of `--url`.
 * @throws ConfigurationError `CONFIG` for what is no address.
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
 * Asks a running operator for one of its documents.
 *
 * @param path - with the query, without a slash before it.
 * @param isAnswer - whether JSON has the form of the document.
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
    // what is no JSON is no answer of an operator
  }
  return {
    problem: `what answers at ${shown} is no operator of chancery: the answer has another form`,
  };
}

/** The port of the probes says in plain text why it refuses. "404 page not found" is a path that it does not know. */
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
