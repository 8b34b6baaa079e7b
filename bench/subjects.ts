import { fileURLToPath } from 'node:url';
import { type Profile, pathOf } from '../test/support/load/profile.ts';
import { built } from './build.ts';

/** The arguments with which a subject starts. */
export interface Start {
  readonly url: string;
  readonly profileName: string;
  readonly profile: Profile;
  readonly objects: number;
}

/** A measured process that reads a collection. */
export interface Subject {
  readonly title: string;
  readonly command: (start: Start) => readonly [command: string, ...words: string[]];
  /** The built entry of the package that it measures. Default: the entry of this checkout. */
  readonly entry?: string;
  /** The real `kubectl proxy` runs between it and the load server. */
  readonly proxied?: boolean;
  /** It takes no commands and only reports markers: no memory, no CPU, no latencies. */
  readonly mute?: boolean;
  /** It creates its own events: the load server sends none. */
  readonly alone?: boolean;
  /** It requests a streamed list, which the load server prepares before. */
  readonly streamed?: boolean;
  /** Packages that it imports from `bench/node_modules`. */
  readonly packages?: readonly string[];
  /** Commands that it runs from the PATH. */
  readonly commands?: readonly string[];
  /** Phases that it does not support. They are skipped. */
  readonly lacks?: readonly Phase[];
}

export type Phase =
  | 'first'
  | 'memory'
  | 'burst'
  | 'hot'
  | 'latency'
  | 'relist'
  | 'chunks'
  | 'endless';

const LIMIT = ['first', 'memory', 'latency', 'relist', 'chunks'] as const;

/** Every subject, by its name for `--only`. */
export const SUBJECTS = {
  'chancery-envelope': {
    title: 'chancery, keys only',
    command: onNode('chancery-informer', 'envelope'),
  },
  'chancery-object': {
    title: 'chancery, every object read',
    command: onNode('chancery-informer', 'object'),
  },
  'chancery-reconcile': {
    title: 'chancery, controller',
    command: onNode('chancery-reconcile', 'reconcile'),
  },
  'chancery-kubectl': {
    title: 'chancery, keys only, through kubectl proxy',
    command: onNode('chancery-informer', 'envelope'),
    proxied: true,
  },
  'chancery-slow': {
    title: 'chancery, a slow handler that holds back',
    command: onNode('chancery-overload', 'slow'),
  },
  'chancery-stuck': {
    title: 'chancery, beside a handler that never returns',
    command: onNode('chancery-overload', 'stuck'),
  },
  'chancery-deleted': {
    title: 'chancery, everything deleted',
    command: onNode('chancery-overload', 'deleted'),
  },
  'chancery-endless': {
    title: 'chancery, beside a line without end',
    command: onNode('chancery-overload', 'endless'),
  },
  'chancery-large': {
    title: 'chancery, one large page',
    command: onNode('chancery-overload', 'large'),
  },
  'chancery-idle': { title: 'chancery, 50 watches', command: onNode('chancery-idle', 'idle') },
  'client-node': {
    title: '@kubernetes/client-node',
    command: onNode('client-node', 'object'),
    packages: ['@kubernetes/client-node'],
  },
  'client-node-idle': {
    title: '@kubernetes/client-node, 50 watches',
    command: onNode('client-node', 'idle'),
    packages: ['@kubernetes/client-node'],
  },
  'fluent-client': {
    title: 'kubernetes-fluent-client',
    command: onNode('fluent-client', 'object'),
    packages: ['kubernetes-fluent-client'],
  },
  'dot-i-operator': {
    title: '@dot-i/k8s-operator',
    command: onNode('dot-i-operator', 'object'),
    packages: ['@dot-i/k8s-operator'],
    streamed: true,
  },
  python: {
    title: 'Python loop',
    command: (start) => ['python3', file('loop.py'), collection(start), String(start.objects)],
    commands: ['python3'],
    lacks: ['memory'],
  },
  shell: {
    title: 'shell loop',
    command: (start) => ['sh', file('loop.sh'), collection(start), String(start.objects)],
    commands: ['sh', 'curl', 'jq'],
    mute: true,
    streamed: true,
    lacks: ['first', 'memory', 'hot', 'latency', 'relist', 'chunks'],
  },
  'curl-kubectl': {
    title: 'curl, through kubectl proxy',
    command: onNode('curl', 'envelope'),
    commands: ['curl'],
    proxied: true,
    streamed: true,
    lacks: ['memory', 'relist', 'chunks'],
  },
  'json-parse': {
    title: 'limit: JSON.parse alone',
    command: onNode('json-parse', 'object'),
    alone: true,
    lacks: LIMIT,
  },
  drain: {
    title: 'limit: bytes thrown away',
    command: onNode('drain', 'envelope'),
    lacks: LIMIT,
  },
  'keep-text': {
    title: 'limit: lines kept by name',
    command: onNode('keep', 'envelope'),
    lacks: LIMIT,
  },
  'keep-object': {
    title: 'limit: objects parsed and kept by name',
    command: onNode('keep', 'object'),
    lacks: LIMIT,
  },
} as const satisfies Readonly<Record<string, Subject>>;

export type SubjectName = keyof typeof SUBJECTS;

/** The checkout of a subject: this one (`new`), or the one that `--against` names (`old`). */
export type Build = 'new' | 'old';

export const SUBJECT_NAMES: readonly SubjectName[] = Object.keys(SUBJECTS) as SubjectName[];

/** True when it measures Chancery. */
export function isOurs(name: string): boolean {
  return name.startsWith('chancery-');
}

/** The flags of Dockerfile.operator. Other subjects have no image and run with Node's defaults. */
const OURS = ['--max-semi-space-size=16'];

function onNode(name: string, mode: string): Subject['command'] {
  return ({ url, profileName, objects }) => [
    process.execPath,
    ...(isOurs(name) ? OURS : []),
    '--expose-gc',
    built(`subjects/${name}.js`),
    ...[url, profileName, mode, String(objects)],
  ];
}

function collection({ url, profile }: Start): string {
  return `${url}${pathOf(profile)}`;
}

function file(name: string): string {
  return fileURLToPath(new URL(`subjects/${name}`, import.meta.url));
}
