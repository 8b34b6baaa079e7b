/** Flight records of an operator that never ran: as many events as are asked for, from a seed. */
import type { FlightRecord } from '../../../operator/flight/read-record.ts';
import type { HeaderLine, RecordLine } from '../../../operator/flight/record-line.ts';

export const WEBSITES = 'websites.example.dev';
export const DEPLOYMENTS = 'deployments.apps';

export function exampleHeader(changes: Partial<HeaderLine> = {}): HeaderLine {
  return {
    kind: 'header',
    format: 'chancery-flight-record',
    version: 1,
    toolkit: '0.1.0',
    node: 'v24.1.0',
    began: '2030-01-01T12:00:00.000Z',
    from: 0,
    to: 600_000,
    reason: 'asked',
    settings: { CHANCERY_API_URL: 'http://127.0.0.1:8001' },
    arguments: [],
    modules: [{ path: 'operator.ts', sha256: 'ab'.repeat(32) }],
    controllers: [{ name: 'website', for: WEBSITES, sources: [WEBSITES, DEPLOYMENTS], workers: 4 }],
    sources: [
      {
        id: WEBSITES,
        apiVersion: 'example.dev/v1',
        kind: 'Website',
        plural: 'websites',
        namespaced: true,
        form: 'full',
      },
      {
        id: DEPLOYMENTS,
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        plural: 'deployments',
        namespaced: true,
        form: 'full',
      },
    ],
    limits: { minutes: 10, megabytes: 64 },
    ...changes,
  };
}

export function exampleRecord(
  lines: readonly RecordLine[],
  changes: Partial<HeaderLine> & Pick<FlightRecord, 'cutOff'> = {},
): FlightRecord {
  const { cutOff, ...header } = changes;
  return {
    header: exampleHeader(header),
    lines,
    unknownLines: 0,
    ...(cutOff !== undefined && { cutOff }),
  };
}

interface KubernetesLike {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export function website(name: string, version: number, replicas: number): KubernetesLike {
  return {
    apiVersion: 'example.dev/v1',
    kind: 'Website',
    metadata: {
      name,
      namespace: 'web',
      uid: `uid-${name}`,
      resourceVersion: `${version}`,
      generation: version,
      labels: { app: name, 'example.dev/tier': 'front' },
      managedFields: [{ manager: 'kubectl', operation: 'Apply', time: '2030-01-01T11:00:00Z' }],
    },
    spec: { replicas, image: `registry.example/web:${replicas}`, domain: `${name}.example.dev` },
  };
}

export function deployment(name: string, version: number, replicas: number): KubernetesLike {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace: 'web',
      uid: `uid-deployment-${name}`,
      resourceVersion: `${version}`,
      generation: version,
      labels,
      ownerReferences: [
        {
          apiVersion: 'example.dev/v1',
          kind: 'Website',
          name,
          uid: `uid-${name}`,
          controller: true,
        },
      ],
    },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'web',
              image: `registry.example/web:${replicas}`,
              ports: [{ containerPort: 8080, name: 'http' }],
              env: [{ name: 'DOMAIN', value: `${name}.example.dev` }],
              resources: { limits: { cpu: '500m', memory: '128Mi' } },
            },
          ],
        },
      },
    },
    status: { observedGeneration: version, replicas, readyReplicas: Math.max(0, replicas - 1) },
  };
}

/** Whole numbers below a limit, the same for the same seed. */
export function numbersFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Size {
  /** Events of watches. Each wakes a key, which is reconciled. Default 1,000. */
  readonly events?: number;
  /** Default 60. */
  readonly keys?: number;
  readonly seed?: number;
}

const WORDS = ['shop', 'blog', 'docs', 'api', 'shop-eu', 'landing', 'status', 'search'];

/** Ten minutes of an operator that is busy: mostly well, with conflicts, errors, waits, a lost lease and a broken watch. */
export function busyRecord({ events = 1_000, keys = 60, seed = 1 }: Size = {}): FlightRecord {
  const work = new BusyOperator(keys, seed);
  work.begin();
  for (let event = 0; event < events; event++) work.event((event * 590_000) / events + 4_000);
  return exampleRecord(work.finish(), {
    reason: 'write-loop',
    why: 'web/shop-0 writes what it reads',
  });
}

class BusyOperator {
  readonly #below: (below: number) => number;
  readonly #names: readonly string[];
  readonly #lines: RecordLine[] = [];
  readonly #replicas = new Map<string, number>();
  #version = 1_000;
  #id = 10;
  #watch = { websites: 1, deployments: 2 };

  constructor(keys: number, seed: number) {
    this.#below = numbersFrom(seed);
    this.#names = Array.from(
      { length: keys },
      (_, index) => `${WORDS[index % WORDS.length]}-${index}`,
    );
  }

  begin(): void {
    const objects = this.#names.map((name) => website(name, ++this.#version, 1));
    const children = this.#names.map((name) => deployment(name, ++this.#version, 1));
    this.#lines.push(
      { kind: 'state', at: 0, segment: 0, random: 1, leads: false },
      { kind: 'clock', at: 0, wall: Date.parse('2030-01-01T12:00:00.000Z') },
      { kind: 'cached', at: 0, source: WEBSITES, resourceVersion: '1000', objects },
      { kind: 'cached', at: 0, source: DEPLOYMENTS, resourceVersion: '1000', objects: children },
    );
    this.#open(0, true);
    this.#lines.push(
      { kind: 'watch', at: 0, source: WEBSITES, state: 'watching' },
      { kind: 'watch', at: 0, source: DEPLOYMENTS, state: 'watching' },
      { kind: 'leader', at: 2_500, leads: true, holder: 'web-operator-1' },
    );
  }

  event(at: number): void {
    const name = this.#pick();
    const key = `web/${name}`;
    const replicas = 1 + this.#below(9);
    const isOwn = this.#below(3) > 0;
    const kind = isOwn ? 'websites' : 'deployments';
    const object = (isOwn ? website : deployment)(name, ++this.#version, replicas);
    this.#replicas.set(name, replicas);
    this.#lines.push(chunk(at, this.#watch[kind], { type: 'MODIFIED', object }), {
      kind: 'wake',
      at: at + 0.2,
      controller: 'website',
      key,
      cause: `${object.kind} ${key}`,
      via: isOwn ? 'for' : 'owns',
    });
    if (this.#below(25) === 0) {
      const forMs = 200 + this.#below(4_000);
      this.#lines.push({
        kind: 'held',
        at: at + 0.3,
        controller: 'website',
        key,
        policy: 'write-loops',
        forMs,
      });
    }
    this.#reconcile(at + 1 + this.#below(6), key, name, replicas);
    if (this.#below(2_000) === 0) this.#breakWatch(at + 40);
  }

  finish(): readonly RecordLine[] {
    this.#lines.push(
      { kind: 'leader', at: 380_000, leads: false, holder: 'web-operator-2' },
      { kind: 'leader', at: 395_000, leads: true, holder: 'web-operator-1' },
      {
        kind: 'log',
        at: 420_000,
        level: 'warn',
        message: 'reconcile is caused by its own writes; it is slowed down',
        fields: { controller: 'website', key: 'web/shop-0' },
      },
      {
        kind: 'log',
        at: 500_000,
        level: 'error',
        message: 'metrics cannot be collected',
        fields: {},
      },
      {
        kind: 'begin',
        at: 585_000,
        controller: 'website',
        key: 'web/blog-1',
        id: 9,
        attempt: 0,
        waitedMs: 3,
      },
    );
    return this.#lines.toSorted((a, b) => timeOf(a) - timeOf(b));
  }

  /** The first keys get most of the events. */
  #pick(): string {
    const index = Math.min(this.#below(this.#names.length), this.#below(this.#names.length));
    return this.#names[index] ?? '';
  }

  #reconcile(at: number, key: string, name: string, replicas: number): void {
    const by = { controller: 'website', key, id: ++this.#id };
    const luck = this.#below(60);
    const request = ++this.#id;
    const took = 4 + this.#below(120);
    const query = 'fieldManager=website&force=true';
    this.#lines.push(
      {
        kind: 'begin',
        at,
        controller: 'website',
        key,
        id: by.id,
        attempt: luck < 2 ? 1 : 0,
        waitedMs: this.#below(5),
      },
      {
        kind: 'request',
        at: at + 2,
        id: request,
        method: 'PATCH',
        path: `/apis/apps/v1/namespaces/web/deployments/${name}?${query}`,
        purpose: 'call',
        contentType: 'application/apply-patch+yaml',
        body: JSON.stringify({
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name },
          spec: { replicas },
        }),
        by,
      },
      ...this.#answered(at + took - 1, request, name, replicas, luck === 0),
    );
    const end = { kind: 'outcome', at: at + took, controller: 'website', key, id: by.id } as const;
    if (luck === 0) {
      const message = 'Operation cannot be fulfilled: the object has been modified';
      this.#lines.push({ ...end, result: 'conflict', error: { code: 'CONFLICT', message } });
    } else if (luck === 1) {
      this.#lines.push({
        ...end,
        result: 'error',
        error: { code: 'TIMEOUT', message: 'the answer was not complete in time' },
      });
    } else if (luck < 6)
      this.#lines.push({ ...end, result: 'requeue_after', requeueAfterMs: 30_000 });
    else this.#lines.push({ ...end, result: 'success' });
  }

  #answered(
    at: number,
    id: number,
    name: string,
    replicas: number,
    isRefused: boolean,
  ): RecordLine[] {
    const headers = { 'content-type': 'application/json' };
    const status = {
      kind: 'Status',
      status: 'Failure',
      reason: 'Conflict',
      message: 'the object has been modified',
    };
    const answer = isRefused ? status : deployment(name, ++this.#version, replicas);
    return [
      { kind: 'answer', at, id, status: isRefused ? 409 : 200, headers },
      { kind: 'chunk', at, id, text: JSON.stringify(answer) },
      { kind: 'ended', at, id },
    ];
  }

  #breakWatch(at: number): void {
    const { deployments } = this.#watch;
    this.#watch = { ...this.#watch, deployments: ++this.#id };
    this.#lines.push(
      {
        kind: 'ended',
        at,
        id: deployments,
        error: { code: 'CONNECTION_LOST', message: 'the answer broke off' },
      },
      { kind: 'watch', at, source: DEPLOYMENTS, state: 'failing', note: 'the connection broke' },
      { kind: 'watch', at: at + 5_000, source: DEPLOYMENTS, state: 'watching' },
    );
    this.#request(
      at + 4_990,
      'apps/v1',
      'deployments',
      deployments + 0,
      false,
      this.#watch.deployments,
    );
  }

  #open(at: number, carried: boolean): void {
    this.#request(at, 'example.dev/v1', 'websites', 1, carried);
    this.#request(at, 'apps/v1', 'deployments', 2, carried);
  }

  #request(
    at: number,
    version: string,
    plural: string,
    id: number,
    carried: boolean,
    now = id,
  ): void {
    const path = `/apis/${version}/${plural}?watch=1&resourceVersion=1000`;
    this.#lines.push(
      {
        kind: 'request',
        at,
        id: now,
        method: 'GET',
        path,
        purpose: 'watch',
        ...(carried && { carried: true }),
      },
      {
        kind: 'answer',
        at: at + 1,
        id: now,
        status: 200,
        headers: {},
        ...(carried && { carried: true }),
      },
    );
  }
}

function timeOf(line: RecordLine): number {
  return 'at' in line ? line.at : 0;
}

export function chunk(at: number, id: number, value: unknown): RecordLine {
  return { kind: 'chunk', at, id, text: `${JSON.stringify(value)}\n` };
}
