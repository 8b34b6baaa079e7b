import type { RequestPath } from '../../../access/request-path.ts';
import { isMapping } from '../../../core/mapping.ts';
import { durationWords } from '../../../core/text/duration-words.ts';
import type { RecordedError, RequestLine } from '../../record-line.ts';
import type { Fact, TimelineItem } from '../timeline-data.ts';

/** A call, and its answer if there was one. */
export interface FinishedCall {
  readonly request: RequestLine;
  readonly path: RequestPath | undefined;
  readonly query: URLSearchParams;
  readonly status: number | undefined;
  /** The body of the answer. Undefined when it is not JSON. */
  readonly answer: unknown;
  /** The number of bytes of the answer that the record does not contain. */
  readonly leftOut: number;
  readonly to: number;
  readonly error: RecordedError | undefined;
  readonly open?: true;
}

/** Resources whose creation only requests a decision and stores nothing. */
const REVIEW = /reviews$/;

/** True for a call that may store something. A dry run stores nothing. */
export function isWrite(
  { method }: RequestLine,
  path: RequestPath | undefined,
  query: URLSearchParams,
): boolean {
  if (method === 'GET' || method === 'HEAD' || query.has('dryRun')) return false;
  return path === undefined || !REVIEW.test(path.plural);
}

/** Describes a call. @param target - such as `Deployment demo/web`. */
export function callItem(
  call: FinishedCall,
  target: string,
): Pick<TimelineItem, 'kind' | 'at' | 'to' | 'summary' | 'facts'> & Partial<TimelineItem> {
  const { request, path, query, to } = call;
  const write = isWrite(request, path, query);
  const part = path?.subresource === undefined ? '' : `${path.subresource} of `;
  const what = `${query.has('dryRun') ? 'try to ' : ''}${verbOf(request, path)} ${part}${target}`;
  const failed = hasFailed(call);
  return {
    kind: write ? 'write' : 'read',
    at: request.at,
    to,
    summary: `${what}${endWords(call, failed)}`,
    facts: factsOf(call),
    ...(failed && { failed }),
    ...(failed ? { tone: 'bad' } : call.error && { tone: 'off' }),
    ...(call.open && { open: true }),
  };
}

/**
 * True for a 404 that is not a failure: a missing object is a valid answer to a read, and the intended result
 * of a deletion.
 */
function hasFailed({ request: { method }, status, error }: FinishedCall): true | undefined {
  if (error !== undefined) return error.code === 'ABORTED' ? undefined : true;
  if (status === undefined || status < 400) return undefined;
  return status === 404 && (method === 'GET' || method === 'DELETE') ? undefined : true;
}

function verbOf({ method, contentType = '' }: RequestLine, path: RequestPath | undefined): string {
  switch (method) {
    case 'GET':
      return path !== undefined && path.name === undefined ? 'list' : 'get';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'replace';
    case 'DELETE':
      return 'delete';
    case 'PATCH':
      return contentType.includes('apply-patch') ? 'apply' : 'patch';
    default:
      return method.toLowerCase();
  }
}

function endWords(call: FinishedCall, failed: true | undefined): string {
  const { request, status, answer, to, error, open } = call;
  const took = durationWords(to - request.at);
  if (open) return ` had no answer after ${took}`;
  if (error !== undefined) return ` ended after ${took}: ${error.code}`;
  const reason = isMapping(answer) && typeof answer.reason === 'string' ? ` ${answer.reason}` : '';
  if (failed) return ` was refused after ${took}: ${status}${reason}`;
  return `, answered with ${status ?? 'nothing'} after ${took}`;
}

function factsOf({ request, query, answer, leftOut, error }: FinishedCall): readonly Fact[] {
  const facts: Fact[] = [['Request', `${request.method} ${request.path}`]];
  if (isMapping(answer) && answer.kind === 'Status' && typeof answer.message === 'string') {
    facts.push(['Message', answer.message]);
  }
  if (error !== undefined) facts.push(['Error', `${error.code}: ${error.message}`]);
  if (query.has('dryRun')) facts.push(['Dry run', 'nothing is stored']);
  if (leftOut > 0) facts.push(['Left out of the record', `${leftOut} bytes of the answer`]);
  return facts;
}
