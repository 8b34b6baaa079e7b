import type { KubernetesObject } from 'chancery';
import type { FlightRecord } from '../../../operator/flight/read-record.ts';
import type {
  BeginLine,
  HeaderLine,
  OutcomeLine,
  RecordedSource,
  RecordLine,
  RequestLine,
} from '../../../operator/flight/record-line.ts';

export const CONFIG_MAPS: RecordedSource = {
  id: 'configmaps',
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
  form: 'full',
};

/** The watch of ConfigMaps of each made record. */
export const WATCH = 1;

export const PATH = '/api/v1/namespaces/demo/configmaps';

type Write = Pick<RequestLine, 'method' | 'path'> & {
  readonly body?: object;
  readonly answer?: KubernetesObject;
  readonly status?: number;
};

/**
 * Makes a record line by line, of a controller `copy` for ConfigMaps in all namespaces, which was at work when the
 * record began.
 */
export class MadeRecord {
  readonly lines: RecordLine[] = [];
  #header: Partial<HeaderLine> = {};
  #id = 100;
  readonly #from: number;

  constructor({
    from = 1_000,
    objects = [],
    resourceVersion = '10',
    leads = true,
  }: {
    readonly from?: number;
    readonly objects?: readonly KubernetesObject[];
    readonly resourceVersion?: string;
    readonly leads?: boolean;
  } = {}) {
    this.#from = from;
    this.add(
      { kind: 'state', at: from, segment: 3, random: 7, leads },
      { kind: 'clock', at: from, wall: WALL + from },
      { kind: 'cached', at: from, source: 'configmaps', resourceVersion, objects },
      {
        ...{ kind: 'request', at: from - 500, id: WATCH, method: 'GET', purpose: 'watch' },
        path: `/api/v1/configmaps?watch=1&resourceVersion=${resourceVersion}&timeoutSeconds=301`,
        carried: true,
      },
      {
        ...{ kind: 'answer', at: from - 490, id: WATCH, status: 200, carried: true },
        headers: { 'content-type': 'application/json' },
      },
    );
  }

  /** More of the header than each record has. */
  header(more: Partial<HeaderLine>): this {
    this.#header = { ...this.#header, ...more };
    return this;
  }

  add(...lines: readonly RecordLine[]): this {
    this.lines.push(...lines);
    return this;
  }

  /** An event of the watch. */
  event(at: number, type: string, object: KubernetesObject): this {
    const text = `${JSON.stringify({ type, object })}\n`;
    return this.add({ kind: 'chunk', at, id: WATCH, text });
  }

  /** A whole attempt: each write takes 2 ms. */
  attempt(
    at: number,
    key: string,
    writes: readonly Write[],
    outcome: Partial<OutcomeLine> = {},
  ): this {
    const id = this.#id++;
    const by = { controller: 'copy', key, id };
    const begin: BeginLine = { kind: 'begin', at, ...by, attempt: 0, waitedMs: 0 };
    this.add(begin);
    let now = at;
    for (const { answer, status = 201, body, ...request } of writes) {
      const call = this.#id++;
      const text = JSON.stringify(answer ?? { kind: 'Status', code: status });
      this.add(
        {
          ...{ kind: 'request', at: now, id: call, purpose: 'call', by, ...request },
          ...(body && { body: JSON.stringify(body) }),
        },
        {
          ...{ kind: 'answer', at: now + 2, id: call, status },
          headers: { 'content-type': 'application/json' },
        },
        { kind: 'chunk', at: now + 2, id: call, text },
        { kind: 'ended', at: now + 2, id: call },
      );
      now += 2;
    }
    return this.add({ kind: 'outcome', at: now, ...by, result: 'success', ...outcome });
  }

  record(to = 60_000): FlightRecord {
    const header: HeaderLine = {
      ...{ kind: 'header', format: 'chancery-flight-record', version: 1 },
      ...{ toolkit: '0.1.0', node: 'v24.1.0', began: new Date(WALL).toISOString() },
      ...{ from: this.#from, to, reason: 'asked', settings: { WATCH_NAMESPACE: '*' } },
      ...{ arguments: [], modules: [], sources: [CONFIG_MAPS] },
      controllers: [{ name: 'copy', for: 'configmaps', sources: ['configmaps'], workers: 1 }],
      limits: { minutes: 10, megabytes: 64 },
      ...this.#header,
    };
    return { header, lines: this.lines, unknownLines: 0 };
  }
}

/** Wall time of `at` 0. */
export const WALL = Date.parse('2026-03-01T10:00:00Z');

export function configMap(
  name: string,
  resourceVersion: string,
  data: Readonly<Record<string, string>>,
): KubernetesObject {
  const metadata = { name, namespace: 'demo', uid: `uid-${name}`, resourceVersion };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as KubernetesObject;
}
