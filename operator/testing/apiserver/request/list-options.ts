import { badRequest, type FieldError, internalError, invalidOptions } from '../failures.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { flag, integer } from './options.ts';
import { parseSelection, type Selection } from './selection.ts';

/** The query of a list, a watch or a deletecollection, checked. */
export interface ListOptions {
  readonly selection: Selection;
  readonly watch: boolean;
  /** 0 when there is none. */
  readonly limit: number;
  readonly continue: string;
  /** Undefined when unset, which is not the same as 0. */
  readonly resourceVersion: number | undefined;
  readonly match: '' | 'Exact' | 'NotOlderThan';
  readonly timeoutSeconds: number | undefined;
  readonly bookmarks: boolean;
  readonly sendInitialEvents: boolean;
}

/** @throws ApiError 400 or 422 as the server words it. */
export function parseListOptions(
  query: URLSearchParams,
  served: ServedResource,
  namespace: string | undefined,
  watching: boolean,
): ListOptions {
  const limit = integer(query, 'limit') ?? 0;
  const timeoutSeconds = integer(query, 'timeoutSeconds');
  const watch = watching || flag(query, 'watch');
  const match = query.get('resourceVersionMatch') ?? '';
  const problems = optionProblems(query, watch, match);
  if (problems.length > 0) throw invalidOptions('ListOptions', problems);
  return {
    selection: parseSelection(query, served, namespace),
    watch,
    limit: Math.max(limit, 0),
    continue: query.get('continue') ?? '',
    resourceVersion: parseResourceVersion(query.get('resourceVersion') ?? '', watch),
    match: match as ListOptions['match'],
    timeoutSeconds,
    bookmarks: flag(query, 'allowWatchBookmarks'),
    sendInitialEvents: flag(query, 'sendInitialEvents'),
  };
}

function optionProblems(query: URLSearchParams, watch: boolean, match: string): FieldError[] {
  return watch ? watchProblems(query, match) : listProblems(query, match);
}

const MATCHES = ['Exact', 'NotOlderThan'];

function listProblems(query: URLSearchParams, match: string): FieldError[] {
  const problems: FieldError[] = [];
  const resourceVersion = query.get('resourceVersion') ?? '';
  const matchField = 'resourceVersionMatch';
  if (match !== '') {
    if (resourceVersion === '') {
      problems.push(
        forbids(matchField, 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
      );
    }
    if ((query.get('continue') ?? '') !== '') {
      problems.push(
        forbids(matchField, 'resourceVersionMatch is forbidden when continue is provided'),
      );
    }
    if (!MATCHES.includes(match)) problems.push(unsupportedMatch(match));
    if (match === 'Exact' && resourceVersion === '0') {
      problems.push(
        forbids(matchField, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
      );
    }
  }
  if (query.has('sendInitialEvents')) {
    problems.push(forbids('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return problems;
}

function watchProblems(query: URLSearchParams, match: string): FieldError[] {
  const matchField = 'resourceVersionMatch';
  if (!query.has('sendInitialEvents')) {
    return match === ''
      ? []
      : [
          forbids(
            matchField,
            'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
          ),
        ];
  }
  if (match === 'NotOlderThan') return [];
  return [
    forbids(matchField, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    ...(match === '' ? [] : [unsupportedMatch(match)]),
  ];
}

function forbids(field: string, why: string): FieldError {
  return { field, reason: 'FieldValueForbidden', message: `Forbidden: ${why}` };
}

function unsupportedMatch(match: string): FieldError {
  return {
    field: 'resourceVersionMatch',
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan", ""`,
  };
}

/** A watch answers a malformed one with 500, a list with 400: so does the server. */
export function parseResourceVersion(text: string, watch: boolean): number | undefined {
  if (text === '') return undefined;
  if (/^[0-9]+$/.test(text)) return Number(text);
  const quoted = JSON.stringify(text);
  const problem = `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`;
  throw watch ? internalError(problem) : badRequest(`invalid resource version: ${problem}`);
}
