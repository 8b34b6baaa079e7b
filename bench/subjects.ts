import { fileURLToPath } from 'node:url';
import { built } from './build.ts';
import { type Profile, pathOf } from './load/profile.ts';

/** What a subject is started with. */
export interface Start {
  readonly url: string;
  readonly profileName: string;
  readonly profile: Profile;
  readonly objects: number;
}

/** Something that is measured: a process that reads a collection. */
export interface Subject {
  readonly title: string;
  readonly command: (start: Start) => readonly [command: string, ...words: string[]];
  /** The real `kubectl proxy` is between it and the load server. */
  readonly proxied?: boolean;
  /** It follows no commands, and tells of markers only: no memory, no CPU, no latencies. */
  readonly mute?: boolean;
  /** It makes its own events: the load server has nothing to send. */
  readonly alone?: boolean;
  /** It asks the server for a streamed list, which has to be there beforehand. */
  readonly streamed?: boolean;
  /** What it cannot do, so that nothing waits for it. */
  readonly lacks?: readonly Phase[];
}

export type Phase = 'first' | 'memory' | 'burst' | 'hot' | 'latency' | 'relist' | 'chunks';

const LIMIT = ['first', 'memory', 'latency', 'relist', 'chunks'] as const;

/** Every subject, by the name that `--only` takes. */
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
  'chancery-idle': { title: 'chancery, 50 watches', command: onNode('chancery-idle', 'idle') },
  'client-node': { title: '@kubernetes/client-node', command: onNode('client-node', 'object') },
  'client-node-idle': {
    title: '@kubernetes/client-node, 50 watches',
    command: onNode('client-node', 'idle'),
  },
  'fluent-client': {
    title: 'kubernetes-fluent-client',
    command: onNode('fluent-client', 'object'),
  },
  'dot-i-operator': {
    title: '@dot-i/k8s-operator',
    command: onNode('dot-i-operator', 'object'),
    streamed: true,
  },
  python: {
    title: 'Python loop',
    command: (start) => ['python3', file('loop.py'), collection(start), String(start.objects)],
    lacks: ['memory'],
  },
  shell: {
    title: 'shell loop',
    command: (start) => ['sh', file('loop.sh'), collection(start), String(start.objects)],
    mute: true,
    streamed: true,
    lacks: ['first', 'memory', 'hot', 'latency', 'relist', 'chunks'],
  },
  'curl-kubectl': {
    title: 'curl, through kubectl proxy',
    command: onNode('curl', 'envelope'),
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
} as const satisfies Readonly<Record<string, Subject>>;

export type SubjectName = keyof typeof SUBJECTS;

export const SUBJECT_NAMES: readonly SubjectName[] = Object.keys(SUBJECTS) as SubjectName[];

function onNode(name: string, mode: string): Subject['command'] {
  return ({ url, profileName, objects }) => [
    process.execPath,
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
