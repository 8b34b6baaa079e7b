import type { Behaviour } from '../behaviour/behaviour.ts';
import type { ServerGates } from '../behaviour/differences.ts';
import { badRequest, internalError } from '../failures/failure.ts';
import { type FieldError, invalidOptions } from '../failures/invalid.ts';
import { uint64Problem } from '../objects/go-integers.ts';
import { flag, integer } from '../objects/go-query.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { parseSelection, type Selection } from './selection.ts';

/** The checked query of a list, a watch or a deletecollection. */
export interface ListOptions {
  readonly selection: Selection;
  readonly watch: boolean;
  /** The maximum number of objects in one page; 0 for no limit. */
  readonly limit: number;
  readonly continue: string;
  /**
   * The resourceVersion of the request. Undefined when it is unset, which is not the same as 0. See
   * `parseResourceVersion`.
   */
  readonly resourceVersion: number | bigint | undefined;
  readonly match: '' | 'Exact' | 'NotOlderThan';
  readonly timeoutSeconds: number | undefined;
  readonly bookmarks: boolean;
  /**
   * Whether a watch begins with the existing objects, followed by a bookmark. Undefined if the server does
   * not know the option: a watch without a resourceVersion then begins with the existing objects, but without
   * that bookmark.
   */
  readonly sendInitialEvents: boolean | undefined;
}

/** @throws ApiError 400 or 422 with the server's message, and 500 for a bad shard selector. */
export function parseListOptions(
  query: URLSearchParams,
  served: ServedResource,
  namespace: string | undefined,
  watching: boolean,
  { gates, featureGates }: Pick<Behaviour, 'gates' | 'featureGates'>,
): ListOptions {
  const limit = integer(query, 'limit') ?? 0;
  const timeoutSeconds = integer(query, 'timeoutSeconds');
  const watch = watching || flag(query, 'watch');
  const match = query.get('resourceVersionMatch') ?? '';
  const problems = optionProblems(query, watch, match, gates);
  if (problems.length > 0) throw invalidOptions('ListOptions', problems);
  const selection = parseSelection(query, served, namespace, featureGates);
  const token = query.get('continue') ?? '';
  const resourceVersion = versionOf(query.get('resourceVersion') ?? '', watch, token);
  return {
    selection,
    watch,
    limit: Math.max(limit, 0),
    continue: token,
    resourceVersion,
    match: match as ListOptions['match'],
    timeoutSeconds,
    bookmarks: flag(query, 'allowWatchBookmarks'),
    sendInitialEvents: watch ? initialEvents(query, resourceVersion, gates) : undefined,
  };
}

/**
 * The resourceVersion of a request. With a continue token, a list only checks whether the resourceVersion is
 * set to a value other than 0 (`ValidateListOptions` in k8s.io/apiserver pkg/storage/interfaces.go).
 */
function versionOf(text: string, watch: boolean, token: string): ListOptions['resourceVersion'] {
  if (watch || token === '' || text === '' || text === '0')
    return parseResourceVersion(text, watch);
  return 1;
}

/**
 * Whether a watch begins with the existing objects. On servers that support streamed lists, a watch without a
 * starting point is a streamed list.
 */
function initialEvents(
  query: URLSearchParams,
  resourceVersion: ListOptions['resourceVersion'],
  gates: ServerGates,
): boolean | undefined {
  if (gates.watchList !== 'on') return undefined;
  if (query.has('sendInitialEvents')) return flag(query, 'sendInitialEvents');
  return resourceVersion === undefined || resourceVersion === 0;
}

function optionProblems(
  query: URLSearchParams,
  watch: boolean,
  match: string,
  gates: ServerGates,
): FieldError[] {
  if (gates.watchList === 'unknown') return olderProblems(query, watch, match);
  return watch ? watchProblems(query, match, gates) : listProblems(query, match);
}

const MATCHES = ['Exact', 'NotOlderThan'];
const MATCH = 'resourceVersionMatch';
const INITIAL = 'sendInitialEvents';

function listProblems(query: URLSearchParams, match: string): FieldError[] {
  const problems = match === '' ? [] : matchProblems(query, match);
  if (query.has(INITIAL)) {
    problems.push(forbids(INITIAL, 'sendInitialEvents is forbidden for list'));
  }
  return problems;
}

function matchProblems(query: URLSearchParams, match: string): FieldError[] {
  const problems: FieldError[] = [];
  const resourceVersion = query.get('resourceVersion') ?? '';
  if (resourceVersion === '') {
    problems.push(
      forbids(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
    );
  }
  if (hasToken(query)) problems.push(forbidsContinue());
  if (!MATCHES.includes(match)) problems.push(unsupportedMatch(match, [...MATCHES, '']));
  if (match === 'Exact' && resourceVersion === '0') {
    problems.push(
      forbids(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
    );
  }
  return problems;
}

function watchProblems(query: URLSearchParams, match: string, gates: ServerGates): FieldError[] {
  const problems: FieldError[] = [];
  const initial = query.has(INITIAL);
  if (initial && match !== 'NotOlderThan') {
    problems.push(
      forbids(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    );
  }
  if (initial && gates.watchList === 'off') {
    const why =
      'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
    problems.push(forbids(INITIAL, why));
  }
  if (match === '') {
    // A watch without a starting point gets the defaults of a streamed list, which include a
    // `resourceVersionMatch`.
    return isStreamedList(query, gates) && hasToken(query)
      ? [...problems, forbidsContinue()]
      : problems;
  }
  if (!initial) {
    const why = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
    problems.push(forbids(MATCH, why));
  }
  if (match !== 'NotOlderThan') problems.push(unsupportedMatch(match, ['NotOlderThan']));
  if (hasToken(query)) problems.push(forbidsContinue());
  return problems;
}

/**
 * Whether a watch is a streamed list by default, because it sets neither resourceVersion nor
 * resourceVersionMatch (`SetListOptionsDefaults` of k8s.io/apimachinery).
 */
function isStreamedList(query: URLSearchParams, { watchList }: ServerGates): boolean {
  const resourceVersion = query.get('resourceVersion') ?? '';
  const isLegacy = resourceVersion === '' || resourceVersion === '0';
  return watchList === 'on' && !query.has(INITIAL) && isLegacy;
}

function hasToken(query: URLSearchParams): boolean {
  return (query.get('continue') ?? '') !== '';
}

/**
 * The problems of a query on servers without `sendInitialEvents`. Such servers check a watch like a list. In
 * addition, they refuse a watch that sets `resourceVersionMatch`.
 */
function olderProblems(query: URLSearchParams, watch: boolean, match: string): FieldError[] {
  if (match === '') return [];
  const forbidden = forbids(MATCH, 'resourceVersionMatch is forbidden for watch');
  return [...(watch ? [forbidden] : []), ...matchProblems(query, match)];
}

function forbids(field: string, why: string): FieldError {
  return { field, reason: 'FieldValueForbidden', message: `Forbidden: ${why}` };
}

function forbidsContinue(): FieldError {
  return forbids(MATCH, 'resourceVersionMatch is forbidden when continue is provided');
}

function unsupportedMatch(match: string, supported: readonly string[]): FieldError {
  const values = supported.map((value) => JSON.stringify(value)).join(', ');
  return {
    field: MATCH,
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${JSON.stringify(match)}: supported values: ${values}`,
  };
}

/**
 * A resourceVersion as `ParseResourceVersion` parses it (k8s.io/apiserver
 * pkg/storage/api_object_versioner.go). Undefined if it is empty; a bigint if it is too large for a number.
 * No revision ever becomes so large.
 *
 * For an invalid value, a GET is answered as if it were read from etcd (`validateMinimumResourceVersion` in
 * pkg/storage/etcd3/store.go). According to its source code, the watch cache (`Get` in
 * pkg/storage/cacher/delegator.go) answers 500, like for a watch, but no recording contains such a GET.
 *
 * @param watch - whether the request is a watch. In recordings of real servers, a watch answers an invalid
 * value with 500 and no reason.
 * @throws ApiError 400, or 500 for a watch, for a value that is not an unsigned integer of 64 bits.
 */
export function parseResourceVersion(text: string, watch: boolean): number | bigint | undefined {
  if (text === '') return undefined;
  const why = uint64Problem(text);
  if (why === undefined) {
    const version = Number(text);
    return Number.isSafeInteger(version) ? version : BigInt(text);
  }
  const problem = `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${why}`;
  throw watch ? internalError(problem) : badRequest(`invalid resource version: ${problem}`);
}
