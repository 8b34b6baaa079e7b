import type { StoredObject } from '../cluster-access.ts';
import { isObject, valueAt } from '../objects/metadata.ts';
import { ageOf } from './age.ts';
import {
  eventSource,
  firstSeen,
  involvedObject,
  jobStatus,
  lastSeen,
  nodeStatus,
  podStatus,
  readyContainers,
  restarts,
  servicePorts,
} from './built-in-cells.ts';
import type { TableColumn } from './column.ts';

type Cell = TableColumn['cell'];

/** The columns of a built-in kind, as printers/internalversion of Kubernetes has them. */
export function builtInColumns(kind: string): readonly TableColumn[] {
  return COLUMNS[kind] ?? [NAME, AGE];
}

function column(
  name: string,
  cell: Cell,
  { type = 'string', priority = 0, description = '' }: Partial<TableColumn> = {},
): TableColumn {
  return { name, type, format: '', description, priority, cell };
}

const number = { type: 'integer' } as const;
const wide = { priority: 1 } as const;

export const NAME: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
  priority: 0,
  cell: ({ metadata }) => metadata.name,
};

const AGE: TableColumn = column(
  'Age',
  ({ metadata }, nowMs) => ageOf(metadata.creationTimestamp, nowMs),
  {
    description:
      'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata',
  },
);

function at(path: string): (object: StoredObject) => unknown {
  const fields = path.split('.');
  return (object) => valueAt(object, fields);
}

function text(path: string, otherwise = '<none>'): Cell {
  const read = at(path);
  return (object) => String(read(object) ?? otherwise);
}

function count(path: string, otherwise = 0): Cell {
  const read = at(path);
  return (object) => Number(read(object) ?? otherwise);
}

function size(...paths: string[]): Cell {
  const readers = paths.map(at);
  return (object) => {
    let total = 0;
    for (const read of readers) {
      const map = read(object);
      if (typeof map === 'object' && map !== null) total += Object.keys(map).length;
    }
    return total;
  };
}

function of(ready: string, wanted: string, otherwise = 0): Cell {
  const [have, want] = [count(ready), count(wanted, otherwise)];
  return (object, nowMs) => `${have(object, nowMs)}/${want(object, nowMs)}`;
}

function containers(field: string, path = 'spec.template.spec.containers'): Cell {
  const read = at(path);
  return (object) => {
    const list = read(object);
    return Array.isArray(list) ? list.map((container) => container?.[field]).join(',') : '';
  };
}

function labels(path: string): Cell {
  const read = at(path);
  return (object) => {
    const map = read(object);
    if (!isObject(map) || Object.keys(map).length === 0) return '<none>';
    return Object.entries(map)
      .map(([key, value]) => `${key}=${value}`)
      .join(',');
  };
}

const CONTAINERS: readonly TableColumn[] = [
  column('Containers', containers('name'), wide),
  column('Images', containers('image'), wide),
];
const SELECTOR: TableColumn = column('Selector', labels('spec.selector.matchLabels'), wide);

const COLUMNS: Readonly<Record<string, readonly TableColumn[]>> = {
  ConfigMap: [
    NAME,
    column('Data', size('data', 'binaryData'), {
      description:
        "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.",
    }),
    AGE,
  ],
  Secret: [NAME, column('Type', text('type')), column('Data', size('data'), number), AGE],
  Namespace: [NAME, column('Status', text('status.phase')), AGE],
  Pod: [
    NAME,
    column('Ready', readyContainers),
    column('Status', podStatus),
    column('Restarts', restarts),
    AGE,
    column('IP', text('status.podIP'), wide),
    column('Node', text('spec.nodeName'), wide),
    column('Nominated Node', text('status.nominatedNodeName'), wide),
    column('Readiness Gates', () => '<none>', wide),
  ],
  Deployment: [
    NAME,
    column('Ready', of('status.readyReplicas', 'spec.replicas', 1)),
    column('Up-to-date', count('status.updatedReplicas')),
    column('Available', count('status.availableReplicas')),
    AGE,
    ...CONTAINERS,
    SELECTOR,
  ],
  ReplicaSet: [
    NAME,
    column('Desired', count('spec.replicas'), number),
    column('Current', count('status.replicas'), number),
    column('Ready', count('status.readyReplicas'), number),
    AGE,
    ...CONTAINERS,
    SELECTOR,
  ],
  ReplicationController: [
    NAME,
    column('Desired', count('spec.replicas'), number),
    column('Current', count('status.replicas'), number),
    column('Ready', count('status.readyReplicas'), number),
    AGE,
    ...CONTAINERS,
    column('Selector', labels('spec.selector'), wide),
  ],
  StatefulSet: [
    NAME,
    column('Ready', of('status.readyReplicas', 'spec.replicas')),
    AGE,
    ...CONTAINERS,
  ],
  DaemonSet: [
    NAME,
    column('Desired', count('status.desiredNumberScheduled'), number),
    column('Current', count('status.currentNumberScheduled'), number),
    column('Ready', count('status.numberReady'), number),
    column('Up-to-date', count('status.updatedNumberScheduled'), number),
    column('Available', count('status.numberAvailable'), number),
    column('Node Selector', labels('spec.template.spec.nodeSelector')),
    AGE,
    ...CONTAINERS,
    SELECTOR,
  ],
  Job: [
    NAME,
    column('Status', jobStatus),
    column('Completions', of('status.succeeded', 'spec.completions', 1)),
    column('Duration', () => ''),
    AGE,
    ...CONTAINERS,
    SELECTOR,
  ],
  CronJob: [
    NAME,
    column('Schedule', text('spec.schedule')),
    column('Timezone', text('spec.timeZone')),
    column('Suspend', (object) => valueAt(object, ['spec', 'suspend']) === true, {
      type: 'boolean',
    }),
    column('Active', size('status.active'), number),
    column('Last Schedule', text('status.lastScheduleTime')),
    AGE,
  ],
  Service: [
    NAME,
    column('Type', text('spec.type')),
    column('Cluster-IP', text('spec.clusterIP')),
    column('External-IP', () => '<none>'),
    column('Port(s)', servicePorts),
    AGE,
    column('Selector', labels('spec.selector'), wide),
  ],
  Node: [NAME, column('Status', nodeStatus), column('Roles', () => '<none>'), AGE],
  PodDisruptionBudget: [
    NAME,
    column('Min Available', text('spec.minAvailable', 'N/A')),
    column('Max Unavailable', text('spec.maxUnavailable', 'N/A')),
    column('Allowed Disruptions', count('status.disruptionsAllowed'), number),
    AGE,
  ],
  Lease: [NAME, column('Holder', text('spec.holderIdentity', '')), AGE],
  CustomResourceDefinition: [
    NAME,
    column('Created At', ({ metadata }) => metadata.creationTimestamp, { type: 'date' }),
  ],
  Event: [
    column('Last Seen', (object, nowMs) => ageOf(lastSeen(object), nowMs)),
    column('Type', text('type', '')),
    column('Reason', text('reason', '')),
    column('Object', involvedObject),
    column('Subobject', text('involvedObject.fieldPath', ''), wide),
    column('Source', eventSource, wide),
    column('Message', (object) => String(object.message ?? object.note ?? '').trim()),
    column('First Seen', (object, nowMs) => ageOf(firstSeen(object), nowMs), wide),
    column(
      'Count',
      (object) => Number(valueAt(object, ['series', 'count']) ?? object.count ?? 1),
      wide,
    ),
    { ...NAME, priority: 1 },
  ],
};
