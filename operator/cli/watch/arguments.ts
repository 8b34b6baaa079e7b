import { ConfigurationError } from '../../core/errors.ts';
import { parseSecondsRange, type Settings } from '../../manager/settings/settings.ts';
import { parseSelector } from '../../model/selector.ts';
import { parseApiUrl } from '../../transport/api-url.ts';
import { MIN_RELIST_INTERVAL_MS } from '../../watch/reflector-options.ts';
import type { GivenTo } from '../command-table.ts';
import type { WATCH } from './table.ts';

/** The arguments of `chancery watch`. */
export interface WatchArguments {
  /** The resource on the command line: a name to look up by discovery, or a URL path. */
  readonly resource: string;
  readonly name: string | undefined;
  /**
   * The namespace to watch. Undefined for all namespaces, and for a URL path, which may contain a
   * namespace.
   */
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly apiUrl: string;
  readonly relistIntervalMs: number | undefined;
  readonly watchTimeoutSeconds: Settings['watchTimeoutSeconds'];
  readonly syncMarker: boolean;
  /** Print the existing objects and end. */
  readonly once: boolean;
}

/**
 * The parsed command line of `chancery watch`. It overrides the settings from the environment.
 *
 * @throws ConfigurationError `CONFIG` in one line with the expected and the actual value.
 */
export function watchArguments(
  { values, words }: GivenTo<typeof WATCH>,
  settings: Settings,
): WatchArguments {
  const { resource, name } = targetOf(words);
  const apiUrl = values.server ?? settings.apiUrl;
  parseApiUrl(apiUrl);
  return {
    resource,
    name,
    namespace: namespaceOf(resource, values, settings),
    labelSelector: labelSelector(values.selector),
    fieldSelector: fieldSelector(values.fieldSelector),
    apiUrl,
    relistIntervalMs:
      values.resync === undefined ? settings.relistIntervalMs : relistInterval(values.resync),
    watchTimeoutSeconds:
      values.watchTimeout === undefined
        ? settings.watchTimeoutSeconds
        : secondsRange(values.watchTimeout),
    syncMarker: values.syncMarker,
    once: values.once,
  };
}

/**
 * The resource and the name in `RESOURCE`, `RESOURCE NAME` or `RESOURCE/NAME`. If the word after
 * the `/` looks like a version, it is part of the resource, and not a name.
 */
function targetOf(words: readonly string[]): { resource: string; name: string | undefined } {
  const [first, second, ...more] = words;
  if (first === undefined || first === '') {
    throw new ConfigurationError('expected a RESOURCE, such as configmaps; got none');
  }
  if (first.startsWith('/') && !/^[/A-Za-z0-9.:-]+$/.test(first)) {
    throw new ConfigurationError(
      `expected a path such as /api/v1/namespaces/demo/configmaps, got ${JSON.stringify(first)}`,
    );
  }
  const surplus = more[0];
  if (surplus !== undefined) {
    throw new ConfigurationError(
      `expected RESOURCE and at most one NAME, got ${JSON.stringify(surplus)} as well`,
    );
  }
  const [, resource, inline] =
    /^([^/]+)\/(?!v[0-9]+(?:(?:alpha|beta)[0-9]+)?$)(.*)$/.exec(first) ?? [];
  if (resource === undefined) return { resource: first, name: checkedName(second) };
  if (second !== undefined) {
    throw new ConfigurationError(
      `expected one NAME, got ${JSON.stringify(inline)} and ${JSON.stringify(second)}`,
    );
  }
  return { resource, name: checkedName(inline) };
}

/**
 * Checks a name. A valid name is allowed in the paths of the API server, and contains no character
 * that has a meaning in field selectors.
 */
function checkedName(name: string | undefined): string | undefined {
  if (name === undefined || /^(?!\.{1,2}$)[^/%=,\\\s]+$/.test(name)) return name;
  throw new ConfigurationError(`expected the NAME of an object, got ${JSON.stringify(name)}`);
}

function namespaceOf(
  resource: string,
  { namespace, allNamespaces: all }: GivenTo<typeof WATCH>['values'],
  settings: Settings,
): string | undefined {
  if (namespace !== undefined && all) {
    throw new ConfigurationError('expected --namespace or --all-namespaces, got both');
  }
  if (resource.startsWith('/') && (namespace !== undefined || all)) {
    throw new ConfigurationError('a path names its namespace itself: leave -n and -A out');
  }
  if (all) return undefined;
  if (namespace === undefined) {
    const isDecided = resource.startsWith('/') || (settings.namespaces?.length ?? 0) < 2;
    if (isDecided) return settings.namespace;
    throw new ConfigurationError(
      'expected one namespace, got several in WATCH_NAMESPACE: name one with --namespace, ' +
        'or all with --all-namespaces',
    );
  }
  return namespace;
}

/**
 * Checks a label selector. For the API server, an empty selector selects everything. This command
 * refuses it, because it usually comes from an unset shell variable.
 */
function labelSelector(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (parseSelector(text).length > 0) return text;
  throw new ConfigurationError('--selector must not be empty: leave it out to select everything');
}

function fieldSelector(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const terms = text.split(/(?<!\\),/);
  if (terms.every((term) => /^\s*[A-Za-z][\w.-]*\s*(?:=|==|!=)[^=!]*$/.test(term))) return text;
  throw new ConfigurationError(
    `--field-selector must be such as metadata.name=a,status.phase!=Running, ` +
      `not ${JSON.stringify(text)}`,
  );
}

function relistInterval(text: string): number {
  const ms = parseDurationMs('--resync', text);
  if (ms === 0 || ms >= MIN_RELIST_INTERVAL_MS) return ms;
  throw new ConfigurationError(
    `--resync must be 10m or more, or 0 for never, not ${JSON.stringify(text)}`,
  );
}

function secondsRange(text: string): Settings['watchTimeoutSeconds'] {
  const range = parseSecondsRange(text);
  if (range !== undefined) return range;
  throw new ConfigurationError(
    `--watch-timeout must be seconds as MIN-MAX, such as 30-60, not ${JSON.stringify(text)}`,
  );
}

const UNITS_MS = { h: 3_600_000, m: 60_000, s: 1_000 } as const;

const MIN_MS = 1_000;
const MAX_MS = 365 * 24 * UNITS_MS.h;

/**
 * The milliseconds of a duration such as `90s`, `30m`, `1h` or `1h30m`, or of a number of seconds.
 * The duration must be 0, or from one second to one year.
 *
 * @param option - the name of the option, for the message.
 * @throws ConfigurationError `CONFIG` with the expected and the actual value.
 */
export function parseDurationMs(option: string, text: string): number {
  const match = /^(?:(\d{1,9})|(?=\d)(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?)$/.exec(text);
  if (match !== null) {
    const [, seconds, h = '0', m = '0', s = '0'] = match;
    const ms = Number(h) * UNITS_MS.h + Number(m) * UNITS_MS.m + Number(seconds ?? s) * UNITS_MS.s;
    if (ms === 0 || (ms >= MIN_MS && ms <= MAX_MS)) return ms;
  }
  throw new ConfigurationError(
    `${option} must be a duration such as 90s, 30m or 1h, at most a year, or 0 for off, ` +
      `not ${JSON.stringify(text)}`,
  );
}
