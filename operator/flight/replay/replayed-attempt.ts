import { jsonOf } from '../../core/json/json-of.ts';
import { mappingOf } from '../../core/mapping.ts';
import type { TransportRequest } from '../../transport/transport.ts';
import { type BodyDifferences, bodyDifferences } from './body-differences.ts';
import type { RecordedAttempt, RecordedExchange } from './recorded/recorded-run.ts';
import { type RequestTarget, requestTarget } from './recorded/request-target.ts';

/** What the record contains for a request that an attempt makes. */
export type Found =
  | {
      readonly kind: 'recorded';
      readonly exchange: RecordedExchange;
      readonly body: BodyDifferences;
    }
  /**
   * The record does not contain the request. `instead` is the write that the recorded attempt made instead,
   * if it made one.
   */
  | { readonly kind: 'none'; readonly instead: RecordedExchange | undefined };

type Asked = Pick<TransportRequest, 'path' | 'body'> & { readonly method: string };

/** An attempt in the replay, and the corresponding recorded attempt. */
export class ReplayedAttempt {
  readonly controller: string;
  readonly key: string;
  /** Undefined for an attempt that the record does not have. */
  readonly recorded: RecordedAttempt | undefined;
  /** True when the attempt has differed from the record. It is then no longer compared. */
  hasLeft = false;
  hasEnded = false;
  /** True when the requests of the attempt are no longer answered: see `RecordedOrder.abandon`. */
  isAbandoned = false;
  readonly #hasSecrets: boolean;
  /** The recorded requests that the attempt has not made yet. */
  readonly #left: RecordedExchange[];

  constructor(
    names: { readonly controller: string; readonly key: string },
    recorded: RecordedAttempt | undefined,
    hasSecrets: boolean,
  ) {
    this.controller = names.controller;
    this.key = names.key;
    this.recorded = recorded;
    this.#hasSecrets = hasSecrets;
    this.#left = recorded === undefined ? [] : [...recorded.exchanges, ...recorded.late];
  }

  /**
   * True when the attempt had begun before the record. The recorded caches are then newer than the data that
   * the attempt had read.
   */
  get isCarried(): boolean {
    return this.recorded?.begin.carried === true;
  }

  /** The recorded writes that the attempt should make before its end, and has not made. */
  get missing(): readonly RecordedExchange[] {
    const { late = [] } = this.recorded ?? {};
    return this.#left.filter(
      (each) => isWrite(each.request) && !isHandOver(each.request) && !late.includes(each),
    );
  }

  /**
   * Finds the recorded request that corresponds to this request. Each recorded request is found only once.
   */
  find(asked: Asked): Found {
    const wanted = isWrite(asked);
    const open = this.#left.filter(({ request }) => isWrite(request) === wanted);
    for (const exchange of wanted ? sameTime(open) : open) {
      const { request } = exchange;
      if (request.method !== asked.method || !isSamePath(request.path, asked.path)) continue;
      const body = bodyDifferences(request.body, asked.body, this.#hasSecrets);
      if (body.texts.length > 0) continue;
      this.#left.splice(this.#left.indexOf(exchange), 1);
      return { kind: 'recorded', exchange, body };
    }
    return { kind: 'none', instead: wanted ? open[0] : undefined };
  }
}

/**
 * The recorded writes that may come next: the first write, and the writes that were sent before the first
 * write was answered, because their order does not matter. Hand-overs of fields are always included, because
 * the process makes them depending on what it remembers of its writes before the record.
 */
function sameTime(open: readonly RecordedExchange[]): readonly RecordedExchange[] {
  const first = open.find(({ request }) => !isHandOver(request));
  const endedAt = first?.reply.at(-1)?.at ?? Number.POSITIVE_INFINITY;
  return open.filter(
    (each) => each === first || isHandOver(each.request) || each.request.at < endedAt,
  );
}

/** True for a request that changes something. False for Events and dry runs. */
export function isWrite({ method, path }: Pick<Asked, 'method' | 'path'>): boolean {
  if (method === 'GET' || method === 'OPTIONS') return false;
  const target = requestTarget(path);
  if (target === undefined) return false;
  return !target.query.has('dryRun') && !isOfEvents(target);
}

/** The paths that a patch changes if it only changes the managers of the fields of an object. */
const OWNERSHIP = new Set(['/metadata/resourceVersion', '/metadata/managedFields']);

/**
 * True for a patch that hands over fields from one manager to another, without changing any value of the
 * object.
 */
export function isHandOver({
  method,
  body,
}: Pick<Asked, 'method'> & { readonly body?: string | undefined }): boolean {
  if (method !== 'PATCH' || body?.startsWith('[') !== true) return false;
  const operations = jsonOf(body);
  if (!Array.isArray(operations)) return false;
  return operations.every((each) => OWNERSHIP.has(String(mappingOf(each).path)));
}

/**
 * True for a request about Events. Events are merged depending on the time, so a replay may send different
 * Events.
 */
export function isOfEvents({ collection }: RequestTarget): boolean {
  return (
    collection === '/api/v1/events' || /^\/apis\/events\.k8s\.io\/v\w+\/events$/.test(collection)
  );
}

function isSamePath(a: string, b: string): boolean {
  return a === b || inOneOrder(a) === inOneOrder(b);
}

function inOneOrder(path: string): string {
  const [pathname, search = ''] = path.split('?');
  return `${pathname}?${search.split('&').sort().join('&')}`;
}
