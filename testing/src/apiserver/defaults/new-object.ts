import { isObject, type Json, valueAt, withFields, withMetadata } from '../objects/metadata.ts';
import { compareQuantities } from '../objects/quantity.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { asObject } from './fill.ts';
import { withSources } from './storage.ts';

/**
 * Adds the fields of a new object that have no owner: its initial status, and labels with its uid.
 */
export function completeNew(object: StoredObject): StoredObject {
  const { kind } = object;
  if (kind === 'Pod') return withPodStatus(object);
  if (kind === 'Namespace') return activeNamespace(object);
  if (kind === 'Job') return selfSelecting(object);
  if (kind === 'PersistentVolumeClaim') return withSources(object);
  if (kind === 'PersistentVolume') return withFields(object, { status: { phase: 'Pending' } });
  return object;
}

function withPodStatus(pod: StoredObject): StoredObject {
  const spec = isObject(pod.spec) ? pod.spec : {};
  const status = { phase: 'Pending', ...asObject(pod.status), qosClass: qualityOfService(spec) };
  const gated = Array.isArray(spec.schedulingGates) && spec.schedulingGates.length > 0;
  return withFields(pod, {
    status: gated ? { ...status, conditions: [GATED] } : status,
  });
}

const GATED = {
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: null,
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
};

function activeNamespace(namespace: StoredObject): StoredObject {
  const finalizers = valueAt(namespace, ['spec', 'finalizers']);
  const found = Array.isArray(finalizers) ? finalizers : [];
  const all = found.includes('kubernetes') ? found : [...found, 'kubernetes'];
  return withFields(namespace, {
    spec: { ...asObject(namespace.spec), finalizers: all },
    status: { phase: 'Active' },
  });
}

/** The labels of a Job's Pods, under both their current and their older names. */
function labelsOf({ metadata }: StoredObject): Record<string, string> {
  const [uid, name] = [metadata.uid ?? '', metadata.name ?? ''];
  return {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
}

/** Makes a Job select its Pods by its own uid, unless it sets `manualSelector`. */
function selfSelecting(job: StoredObject): StoredObject {
  const spec = asObject(job.spec);
  if (spec === undefined || spec.manualSelector === true) return job;
  const template = asObject(spec.template) ?? {};
  const metadata = asObject(template.metadata) ?? {};
  // Values that the client has set are kept, and compared later by validation.
  const labels: Json = { ...labelsOf(job), ...asObject(metadata.labels) };
  const selector = asObject(spec.selector) ?? {};
  const matchLabels = {
    'batch.kubernetes.io/controller-uid': job.metadata.uid,
    ...asObject(selector.matchLabels),
  };
  const own = job.metadata.labels ?? {};
  const selecting = withFields(job, {
    spec: {
      ...spec,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  });
  // A Job without labels gets the labels of its Pods. The reason is that the server uses one map for the
  // labels of the Job and of its template, and then adds labels to this map. If the name is generated, the
  // server copies the Job before, so the Job and its template have separate maps.
  const isGenerated = (job.metadata.generateName ?? '') !== '';
  const isShared = own === metadata.labels && !isGenerated;
  const isLabelled = isShared || Object.keys(own).length === 0;
  return isLabelled ? withMetadata(selecting, { labels }) : selecting;
}

/** The resources that decide the order of evictions. */
const COUNTED = ['cpu', 'memory'];

/**
 * The quality of service of a Pod, which decides the order of evictions. It is `Guaranteed` if every
 * container has limits and does not request less than them, and `BestEffort` if no container has requests or
 * limits.
 */
function qualityOfService(spec: Json): string {
  const lists = [spec.containers, spec.initContainers];
  const resources = lists
    .flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []))
    .map((container) => asObject(container.resources) ?? {});
  const pod = asObject(spec.resources);
  const counted = pod === undefined ? resources : [pod];
  if (!counted.some((one) => asksForAnything(one))) return 'BestEffort';
  return counted.every(isGuaranteed) ? 'Guaranteed' : 'Burstable';
}

function amount(map: unknown, name: string): unknown {
  const value = asObject(map)?.[name];
  return value !== undefined && compareQuantities(value, '0') === 1 ? value : undefined;
}

function asksForAnything({ requests, limits }: Json): boolean {
  return COUNTED.some(
    (name) => amount(requests, name) !== undefined || amount(limits, name) !== undefined,
  );
}

function isGuaranteed({ requests, limits }: Json): boolean {
  return COUNTED.every((name) => {
    const limit = amount(limits, name);
    if (limit === undefined) return false;
    return compareQuantities(amount(requests, name) ?? limit, limit) === 0;
  });
}
