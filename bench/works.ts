import type { ProfileName } from '../test/support/load/profiles.ts';
import type { SubjectName } from './subjects.ts';

/** One task for subjects. Phases that it does not name are left out. */
export interface Work {
  readonly profile: ProfileName;
  readonly objects: number;
  /** Number of events over all objects. */
  readonly burst?: number;
  /** Number of events over 1,000 objects. */
  readonly hot?: number;
  /** Seconds with 200 events each. */
  readonly latencySeconds?: number;
  readonly relist?: boolean;
  /** Seconds without events. */
  readonly idleSeconds?: number;
  /** Number of events of 1.5 MB in chunks of 16 kB. The first one warms up and does not count. */
  readonly oversized?: number;
  /** All objects are deleted, one event each. */
  readonly deletions?: boolean;
  /** One source receives a line without end. */
  readonly endless?: boolean;
  /** The most rounds to run, when more would add nothing. Default: the requested number. */
  readonly rounds?: number;
  readonly subjects: readonly SubjectName[];
  /** Included in `--quick`, with these parts replaced, because its targets need it. */
  readonly quick?: Partial<Work>;
  /** Included in `--against`, with all its phases. */
  readonly inPairs?: true;
}

export type WorkName = string;

const OURS = ['chancery-envelope', 'chancery-object', 'chancery-reconcile'] as const;
const PEERS = ['client-node', 'fluent-client', 'dot-i-operator', 'python'] as const;
const LIMITS = ['json-parse', 'drain', 'keep-text', 'keep-object'] as const;
const EVERYBODY = [...OURS, 'chancery-kubectl', ...PEERS, ...LIMITS] as const;
/** Subjects that are compared run next to each other: the machine changes less in a shorter time. */
const IN_SHORT = [
  'chancery-envelope',
  'client-node',
  'chancery-object',
  'json-parse',
  'chancery-reconcile',
] as const;
/** The subjects of `--against`. client-node runs next to `chancery-object`, which is compared with it. */
const IN_PAIRS = [
  'client-node',
  'chancery-object',
  'chancery-envelope',
  'chancery-reconcile',
] as const;
const WHICH = ['chancery-envelope', 'client-node', 'chancery-object'] as const;

/** All works, by their names for `--only`, in the order of their runs: short ones first. */
export const WORKS: Readonly<Record<WorkName, Work>> = {
  'pod-100': {
    profile: 'pod',
    objects: 100,
    burst: 1_000,
    subjects: ['chancery-envelope', 'client-node', 'dot-i-operator', 'fluent-client', 'python'],
    quick: { burst: 1_000, subjects: ['chancery-envelope', 'client-node'] },
    inPairs: true,
  },
  'latency-kubectl': {
    profile: 'pod',
    objects: 1_000,
    latencySeconds: 20,
    subjects: ['chancery-kubectl', 'curl-kubectl'],
    quick: { latencySeconds: 4 },
  },
  chunks: {
    profile: 'config-map',
    objects: 10,
    oversized: 8,
    subjects: ['chancery-envelope', 'client-node', 'fluent-client'],
    quick: { oversized: 12, subjects: ['chancery-envelope', 'client-node'] },
  },
  idle: {
    profile: 'config-map',
    objects: 10,
    idleSeconds: 30,
    subjects: ['chancery-idle', 'client-node-idle'],
  },
  'pod-10k': {
    profile: 'pod',
    objects: 10_000,
    burst: 30_000,
    hot: 30_000,
    latencySeconds: 10,
    relist: true,
    subjects: EVERYBODY,
    quick: { latencySeconds: 0, subjects: IN_SHORT },
    inPairs: true,
  },
  'config-map-50k': {
    profile: 'config-map',
    objects: 50_000,
    burst: 200_000,
    hot: 200_000,
    relist: true,
    subjects: EVERYBODY,
    quick: { relist: false, hot: 0, subjects: WHICH },
    inPairs: true,
  },
  'pod-50k': {
    profile: 'pod',
    objects: 50_000,
    relist: true,
    subjects: ['chancery-envelope', 'chancery-object', 'client-node'],
    quick: { rounds: 1, subjects: ['chancery-envelope'] },
  },
  'config-map-1k': {
    profile: 'config-map',
    objects: 1_000,
    burst: 100_000,
    subjects: OURS,
    quick: { subjects: ['chancery-envelope'] },
  },
  'config-map-10k': {
    profile: 'config-map',
    objects: 10_000,
    burst: 100_000,
    subjects: OURS,
    quick: { burst: 0, subjects: ['chancery-envelope'] },
  },
  'config-map-100k': {
    profile: 'config-map',
    objects: 100_000,
    burst: 100_000,
    subjects: OURS,
    quick: { subjects: ['chancery-envelope'] },
  },
  'slow-consumer': {
    profile: 'pod',
    objects: 10_000,
    burst: 30_000,
    subjects: ['chancery-slow', 'chancery-stuck'],
    quick: { rounds: 1 },
  },
  'endless-line': {
    profile: 'config-map',
    objects: 1_000,
    endless: true,
    subjects: ['chancery-endless'],
    quick: {},
  },
  'deletes-100k': {
    profile: 'config-map',
    objects: 100_000,
    deletions: true,
    subjects: ['chancery-deleted', 'client-node'],
    quick: { rounds: 1, subjects: ['chancery-deleted'] },
  },
  'page-500mb': {
    profile: 'huge',
    objects: 500,
    subjects: ['chancery-large', 'client-node'],
    quick: { rounds: 1, subjects: ['chancery-large'] },
  },
  'widget-10k': {
    profile: 'widget',
    objects: 10_000,
    burst: 100_000,
    hot: 100_000,
    relist: true,
    subjects: [...OURS, 'client-node', 'fluent-client', ...LIMITS],
  },
  'big-200': {
    profile: 'big',
    objects: 200,
    burst: 2_000,
    relist: true,
    subjects: [...OURS, 'client-node', 'fluent-client', ...LIMITS],
  },
  'shell-pod-20': {
    profile: 'pod',
    objects: 20,
    burst: 100,
    subjects: ['chancery-envelope', 'shell'],
  },
};

/** The works of `--quick`, in the order of their runs. */
export function quickWorks(): Readonly<Record<WorkName, Work>> {
  return Object.fromEntries(
    Object.entries(WORKS).flatMap(([name, work]) =>
      work.quick === undefined ? [] : [[name, { ...work, ...work.quick }]],
    ),
  );
}

/** The works of `--against`, in the order of their runs. */
export function worksInPairs(): Readonly<Record<WorkName, Work>> {
  return Object.fromEntries(
    Object.entries(WORKS).flatMap(([name, work]) =>
      work.inPairs ? [[name, { ...work, subjects: IN_PAIRS }]] : [],
    ),
  );
}
