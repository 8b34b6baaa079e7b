import { setImmediate } from 'node:timers/promises';
import type { StructuralSchema } from 'chancery/internal';
import type { ApiServer } from '../apiserver/api-server.ts';
import { FAULTS, readFaults } from '../apiserver/fault-rules/fault-rule.ts';
import {
  parseSnapshotInParts,
  SNAPSHOT_LIMIT_BYTES,
  snapshotBytes,
  snapshotParts,
} from '../apiserver/storage/snapshot-file.ts';
import { RefusedRequest } from './refused-request.ts';

/** The server's clock, which can be advanced. */
export interface AdminClock {
  now(): number;
  /** Advances the clock. If the function returns a promise, the operation waits for it. */
  advance(ms: number): unknown;
}

/** The objects that operations act on. */
export interface Administered {
  readonly server: ApiServer;
  readonly clock: AdminClock;
}

/**
 * One operation. The handlers, the checks of bodies and the OpenAPI document are derived from it.
 */
export interface Operation {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  /** The `operationId` of the operation in the OpenAPI document. */
  readonly id: string;
  readonly summary: string;
  /** The format of the request body. If omitted, the body is not read. */
  readonly body?: Body;
  /** The format of the answer: a JSON value, or a snapshot. If omitted, the answer is a 204. */
  readonly answer?: StructuralSchema | typeof SNAPSHOT;
  /**
   * The status codes of errors that only this operation has. Two groups of codes are not repeated here: those
   * that every request can get, and those that every request with a body can get.
   */
  readonly problems?: readonly number[];
  /**
   * @param body - the JSON value, already checked against the schema; for a snapshot, the bytes.
   */
  act(administered: Administered, body: unknown): unknown;
}

/** Marks a body or an answer that is a snapshot. */
export const SNAPSHOT = 'snapshot';

interface Body {
  readonly form: StructuralSchema | typeof SNAPSHOT;
  readonly limitBytes: number;
}

/** The largest JSON body. A hundred rules need far less. */
const JSON_LIMIT_BYTES = 1_048_576;
/**
 * The largest time by which one request can advance the clock. It is limited because every timer
 * that falls due in this time is fired.
 */
const MAX_ADVANCE_MS = 30 * 86_400_000;

const json = (properties: Readonly<Record<string, StructuralSchema>>): Body => ({
  form: { type: 'object', properties },
  limitBytes: JSON_LIMIT_BYTES,
});

const FAULTS_ANSWER: StructuralSchema = {
  type: 'object',
  required: ['faults', 'applied'],
  properties: {
    ...FAULTS.properties,
    applied: {
      type: 'array',
      description: 'How many requests each fault has hit.',
      items: { type: 'integer' },
    },
  },
};

const TIME: StructuralSchema = {
  type: 'object',
  required: ['now'],
  properties: { now: { type: 'string', format: 'date-time' } },
};

/** All operations of the endpoint, except the one that returns its OpenAPI document. */
export const OPERATIONS: readonly Operation[] = [
  {
    method: 'GET',
    path: '/faults',
    id: 'getFaults',
    summary: 'The faults, and how often each has hit.',
    answer: FAULTS_ANSWER,
    act: ({ server }) => faultsOf(server),
  },
  {
    method: 'PUT',
    path: '/faults',
    id: 'putFaults',
    summary: 'Has these faults in place of all others. Counts begin at zero.',
    body: { form: FAULTS, limitBytes: JSON_LIMIT_BYTES },
    answer: FAULTS_ANSWER,
    act({ server }, body) {
      server.faults.replace(readFaults(body, 'the body'));
      return faultsOf(server);
    },
  },
  {
    method: 'DELETE',
    path: '/faults',
    id: 'deleteFaults',
    summary: 'Ends all faults.',
    act: ({ server }) => server.faults.clear(),
  },
  {
    method: 'GET',
    path: '/clock',
    id: 'getClock',
    summary: 'The time of the server.',
    answer: TIME,
    act: ({ clock }) => timeOf(clock),
  },
  {
    method: 'POST',
    path: '/clock/advance',
    id: 'advanceClock',
    summary:
      'Moves the time forward, besides running by itself. Everything that becomes due runs in order.',
    body: {
      form: {
        type: 'object',
        required: ['ms'],
        properties: { ms: { type: 'integer', minimum: 0, maximum: MAX_ADVANCE_MS } },
      },
      limitBytes: JSON_LIMIT_BYTES,
    },
    answer: TIME,
    async act({ clock }, body) {
      await clock.advance((body as { readonly ms: number }).ms);
      return timeOf(clock);
    },
  },
  {
    method: 'POST',
    path: '/watches/cut',
    id: 'cutWatches',
    summary: 'Ends all open watches, as the server ends them or by cut connections.',
    body: json({
      how: { type: 'string', enum: ['clean', 'reset'], description: 'Default clean.' },
    }),
    answer: { type: 'object', required: ['cut'], properties: { cut: { type: 'integer' } } },
    act({ server }, body) {
      const { how = 'clean' } = body as { readonly how?: 'clean' | 'reset' };
      const cut = server.openWatches;
      server.closeWatches(how);
      return { cut };
    },
  },
  {
    method: 'POST',
    path: '/compact',
    id: 'compact',
    summary: 'Forgets history: pages, exact lists and watches from before are answered with 410.',
    body: json({
      what: {
        type: 'string',
        enum: ['everything', 'pages'],
        description:
          'With pages watches still resume, as after a compaction of etcd. Default everything.',
      },
    }),
    act({ server }, body) {
      server.compact((body as { readonly what?: 'everything' | 'pages' }).what);
    },
  },
  {
    method: 'GET',
    path: '/snapshot',
    id: 'getSnapshot',
    summary: 'All objects as they are now, with their Secrets. History is not included.',
    answer: SNAPSHOT,
    problems: [413],
    act: ({ server }) => savedParts(server),
  },
  {
    method: 'PUT',
    path: '/snapshot',
    id: 'putSnapshot',
    summary: 'Goes back to a snapshot. Open watches end, and none resumes from before.',
    body: { form: SNAPSHOT, limitBytes: SNAPSHOT_LIMIT_BYTES },
    problems: [422],
    async act({ server }, body) {
      server.restore(await parseSnapshotInParts(body as Buffer, setImmediate));
    },
  },
];

/**
 * A snapshot that is too large is refused before the first byte, because a truncated snapshot would be
 * useless.
 */
async function savedParts(server: ApiServer): Promise<Iterable<string>> {
  const snapshot = server.snapshot();
  if ((await snapshotBytes(snapshot, setImmediate)) === undefined) {
    const limit = `${SNAPSHOT_LIMIT_BYTES} bytes, which no snapshot may have`;
    throw new RefusedRequest(413, `the objects have more than ${limit}: delete some`);
  }
  return snapshotParts(snapshot);
}

function faultsOf({ faults: { rules, applied } }: ApiServer): unknown {
  return { faults: rules, applied };
}

function timeOf(clock: AdminClock): unknown {
  return { now: new Date(clock.now()).toISOString() };
}
