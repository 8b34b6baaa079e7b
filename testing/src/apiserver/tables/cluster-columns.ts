import { isObject, valueAt } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { humanDuration } from './age.ts';
import { AGE, conditionOf, count, filled, itemsAt, NAME, size, text } from './cell.ts';
import { type Cell, column, INTEGER, type TableColumn, WIDE } from './column.ts';
import { EVENT_COLUMNS } from './event-columns.ts';

function nodeStatus(node: StoredObject): string {
  const ready = conditionOf(node, 'Ready');
  const status = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  const closed = valueAt(node, ['spec', 'unschedulable']) === true;
  return closed ? `${status},SchedulingDisabled` : status;
}

const ROLE = 'node-role.kubernetes.io/';

function nodeRoles({ metadata }: StoredObject): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith(ROLE) && key !== ROLE) roles.add(key.slice(ROLE.length));
    else if (key === 'kubernetes.io/role' && value !== '') roles.add(value);
  }
  return [...roles].toSorted().join(',') || '<none>';
}

function nodeAddress(type: string): Cell {
  return (node) =>
    itemsAt(node, 'status.addresses').find((one) => one.type === type)?.address ?? '<none>';
}

/** A cell with the used and allowed amounts of a quota. The amounts of limits have a separate column. */
function quota(ofLimits: boolean): Cell {
  return (object) => {
    const hard = valueAt(object, ['status', 'hard']);
    const used = valueAt(object, ['status', 'used']);
    if (!isObject(hard)) return '';
    return Object.keys(hard)
      .filter((name) => name.startsWith('limits.') === ofLimits)
      .toSorted()
      .map((name) => `${name}: ${(isObject(used) && used[name]) || '0'}/${hard[name]}`)
      .join(', ');
  };
}

function subjects(kind: string): Cell {
  return (binding) =>
    itemsAt(binding, 'subjects')
      .filter((subject) => subject.kind === kind)
      .map(({ namespace, name }) =>
        kind === 'ServiceAccount' ? `${namespace ?? ''}/${name}` : name,
      )
      .join(', ');
}

const BINDING: readonly TableColumn[] = [
  NAME,
  column(
    'Role',
    (object) => `${valueAt(object, ['roleRef', 'kind'])}/${valueAt(object, ['roleRef', 'name'])}`,
  ),
  AGE,
  column('Users', subjects('User'), WIDE),
  column('Groups', subjects('Group'), WIDE),
  column('ServiceAccounts', subjects('ServiceAccount'), WIDE),
];

function signingStatus(request: StoredObject): string {
  const types = itemsAt(request, 'status.conditions').map(({ type }) => type);
  const decision = types.includes('Denied')
    ? 'Denied'
    : types.includes('Approved')
      ? 'Approved'
      : 'Pending';
  const failed = types.includes('Failed') ? ',Failed' : '';
  return `${decision}${failed}${valueAt(request, ['status', 'certificate']) ? ',Issued' : ''}`;
}

function requestedDuration(request: StoredObject): string {
  const seconds = valueAt(request, ['spec', 'expirationSeconds']);
  return typeof seconds === 'number' ? humanDuration(seconds * 1_000) : '<none>';
}

function parameterKind(policy: StoredObject): string {
  const kind = valueAt(policy, ['spec', 'paramKind']);
  return isObject(kind) ? `${kind.apiVersion}/${kind.kind}` : '<unset>';
}

function parameterReference(binding: StoredObject): string {
  const reference = valueAt(binding, ['spec', 'paramRef']);
  if (!isObject(reference)) return '<unset>';
  const { name, namespace, selector } = reference;
  if (name) return `${namespace || '*'}/${name}`;
  return selector === undefined ? '<unset>' : JSON.stringify(selector);
}

const POLICY_BINDING: readonly TableColumn[] = [
  NAME,
  column('PolicyName', text('spec.policyName')),
  column('ParamRef', parameterReference),
  AGE,
];

const WEBHOOKS: readonly TableColumn[] = [NAME, column('Webhooks', size('webhooks'), INTEGER), AGE];

function available(service: StoredObject): string {
  const condition = conditionOf(service, 'Available');
  if (condition === undefined) return 'Unknown';
  const { status, reason } = condition;
  return status === 'True' ? 'True' : `${status} (${reason})`;
}

function backend(service: StoredObject): string {
  const reference = valueAt(service, ['spec', 'service']);
  return isObject(reference) ? `${reference.namespace}/${reference.name}` : 'Local';
}

function numberOrNone(path: string): Cell {
  const read = text(path, '<none>');
  return (object, nowMs) => {
    const shown = String(read(object, nowMs));
    return shown === '<none>' ? shown : Number(shown);
  };
}

function component(field: 'message' | 'error'): Cell {
  return (object) =>
    itemsAt(object, 'conditions').find(({ type }) => type === 'Healthy')?.[field] ?? '';
}

function componentHealth(object: StoredObject): string {
  const healthy = itemsAt(object, 'conditions').find(({ type }) => type === 'Healthy');
  if (healthy === undefined) return 'Unknown';
  return healthy.status === 'True' ? 'Healthy' : 'Unhealthy';
}

/** The columns of Nodes, Namespaces, and kinds that apply to the whole cluster. */
export const CLUSTER_COLUMNS: Readonly<Record<string, readonly TableColumn[]>> = {
  ConfigMap: [
    NAME,
    column('Data', size('data', 'binaryData'), {
      description:
        "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.",
    }),
    AGE,
  ],
  Secret: [NAME, column('Type', text('type')), column('Data', size('data')), AGE],
  Namespace: [NAME, column('Status', text('status.phase')), AGE],
  ServiceAccount: [NAME, AGE],
  Event: EVENT_COLUMNS,
  Node: [
    NAME,
    column('Status', nodeStatus),
    column('Roles', nodeRoles),
    AGE,
    column('Version', text('status.nodeInfo.kubeletVersion')),
    column('Internal-IP', nodeAddress('InternalIP'), WIDE),
    column('External-IP', nodeAddress('ExternalIP'), WIDE),
    column('OS-Image', filled('status.nodeInfo.osImage', '<unknown>'), WIDE),
    column('Kernel-Version', filled('status.nodeInfo.kernelVersion', '<unknown>'), WIDE),
    column(
      'Container-Runtime',
      filled('status.nodeInfo.containerRuntimeVersion', '<unknown>'),
      WIDE,
    ),
  ],
  ResourceQuota: [NAME, column('Request', quota(false)), column('Limit', quota(true)), AGE],
  Lease: [NAME, column('Holder', text('spec.holderIdentity')), AGE],
  RoleBinding: BINDING,
  ClusterRoleBinding: BINDING,
  CertificateSigningRequest: [
    NAME,
    AGE,
    column('SignerName', filled('spec.signerName', '<none>')),
    column('Requestor', text('spec.username')),
    column('RequestedDuration', requestedDuration),
    column('Condition', signingStatus),
  ],
  RuntimeClass: [NAME, column('Handler', text('handler')), AGE],
  MutatingWebhookConfiguration: WEBHOOKS,
  ValidatingWebhookConfiguration: WEBHOOKS,
  ValidatingAdmissionPolicy: [
    NAME,
    column('Validations', size('spec.validations'), INTEGER),
    column('ParamKind', parameterKind),
    AGE,
  ],
  MutatingAdmissionPolicy: [
    NAME,
    column('Mutations', size('spec.mutations'), INTEGER),
    column('ParamKind', parameterKind),
    AGE,
  ],
  ValidatingAdmissionPolicyBinding: POLICY_BINDING,
  MutatingAdmissionPolicyBinding: POLICY_BINDING,
  FlowSchema: [
    NAME,
    column('PriorityLevel', text('spec.priorityLevelConfiguration.name')),
    column('MatchingPrecedence', count('spec.matchingPrecedence')),
    column('DistinguisherMethod', text('spec.distinguisherMethod.type', '<none>')),
    AGE,
    column('MissingPL', (schema) => conditionOf(schema, 'Dangling')?.status ?? '?'),
  ],
  PriorityLevelConfiguration: [
    NAME,
    column('Type', text('spec.type')),
    column('NominalConcurrencyShares', numberOrNone('spec.limited.nominalConcurrencyShares')),
    column('Queues', numberOrNone('spec.limited.limitResponse.queuing.queues')),
    column('HandSize', numberOrNone('spec.limited.limitResponse.queuing.handSize')),
    column('QueueLengthLimit', numberOrNone('spec.limited.limitResponse.queuing.queueLengthLimit')),
    AGE,
  ],
  APIService: [NAME, column('Service', backend), column('Available', available), AGE],
  ComponentStatus: [
    NAME,
    column('Status', componentHealth),
    column('Message', component('message')),
    column('Error', component('error')),
  ],
};
