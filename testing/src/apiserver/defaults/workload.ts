import { isObject, type Json } from '../objects/metadata.ts';
import { asObject, each, fill } from './fill.ts';
import { defaultPodSpec } from './pod-spec.ts';
import { defaultClaim } from './storage.ts';
import { changed } from './volume.ts';

/** The defaults of a Pod template. In Go, the template always has a spec, even if none was sent. */
export function defaultTemplate(template: unknown): Json {
  const sent = asObject(template) ?? {};
  return { ...sent, spec: defaultPodSpec(asObject(sent.spec) ?? {}) };
}

function withTemplate(spec: Json): Json {
  return { ...spec, template: defaultTemplate(spec.template) };
}

/** The defaults of an update strategy. Only a rolling update has details. */
function rolling(details: Json): (value: unknown) => Json {
  return (value) => {
    const strategy = fill(asObject(value), { type: 'RollingUpdate' });
    if (strategy.type !== 'RollingUpdate') return strategy;
    return fill(strategy, {
      rollingUpdate: (value: unknown) => fill(asObject(value), details),
    });
  };
}

export function defaultDeploymentSpec(spec: Json): Json {
  return fill(withTemplate(spec), {
    replicas: 1,
    strategy: rolling({ maxUnavailable: '25%', maxSurge: '25%' }),
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  });
}

export function defaultReplicaSetSpec(spec: Json): Json {
  return fill(withTemplate(spec), { replicas: 1 });
}

export function defaultDaemonSetSpec(spec: Json): Json {
  return fill(withTemplate(spec), {
    updateStrategy: rolling({ maxUnavailable: 1, maxSurge: 0 }),
    revisionHistoryLimit: 10,
  });
}

/**
 * The defaults of a claim in a StatefulSet. Unlike all other nested objects, it has a kind and an apiVersion.
 */
function defaultClaimTemplate(claim: Json): Json {
  return { ...defaultClaim(claim), kind: 'PersistentVolumeClaim', apiVersion: 'v1' };
}

export function defaultStatefulSetSpec(spec: Json): Json {
  return fill(withTemplate(spec), {
    replicas: 1,
    podManagementPolicy: 'OrderedReady',
    updateStrategy: rolling({ partition: 0 }),
    revisionHistoryLimit: 10,
    volumeClaimTemplates: (claims: unknown) => each(claims, defaultClaimTemplate),
    persistentVolumeClaimRetentionPolicy: (policy: unknown) =>
      fill(asObject(policy), { whenDeleted: 'Retain', whenScaled: 'Retain' }),
  });
}

/** The labels of a template's Pods. */
function labelsOf(template: unknown): Json | undefined {
  const metadata = isObject(template) ? asObject(template.metadata) : undefined;
  return asObject(metadata?.labels);
}

function withLabels(object: Json, labels: Json | undefined): Json {
  const metadata = asObject(object.metadata) ?? {};
  const own = asObject(metadata.labels) ?? {};
  if (labels === undefined || Object.keys(own).length > 0) return object;
  return { ...object, metadata: { ...metadata, labels } };
}

/** The defaults of a ReplicationController: its selector and labels are those of its template. */
export function defaultReplicationController(object: Json): Json {
  const labels = labelsOf(asObject(object.spec)?.template);
  const selecting = labels === undefined ? {} : { selector: labels };
  const defaulted = changed(object, {
    // In Go, the template is optional only in this kind.
    spec: (spec) =>
      fill(changed(withoutEmptySelector(spec), { template: defaultTemplate }), {
        replicas: 1,
        ...selecting,
      }),
  });
  return withLabels(defaulted, labels);
}

function withoutEmptySelector(spec: Json): Json {
  const { selector, ...rest } = spec;
  const isEmpty = isObject(selector) && Object.keys(selector).length === 0;
  return isEmpty ? rest : spec;
}

/** How many failed Pods a Job tolerates by default. */
const BACKOFF_LIMIT = 6;
const NO_LIMIT = 2_147_483_647;

export function defaultJob(object: Json): Json {
  const labels = labelsOf(asObject(object.spec)?.template);
  return withLabels({ ...object, spec: defaultJobSpec(asObject(object.spec) ?? {}) }, labels);
}

function defaultJobSpec(spec: Json): Json {
  // If both fields are missing, the Job runs one Pod. If it sets only `parallelism`, it runs until one of its
  // Pods succeeds.
  const single = spec.completions === undefined && spec.parallelism === undefined;
  return fill(withTemplate(spec), {
    parallelism: 1,
    ...(single ? { completions: 1 } : {}),
    backoffLimit: spec.backoffLimitPerIndex === undefined ? BACKOFF_LIMIT : NO_LIMIT,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
    podFailurePolicy: (policy: unknown) => {
      const rules = asObject(policy);
      return rules === undefined ? undefined : fill(rules, { rules: defaultFailureRules });
    },
  });
}

function defaultFailureRules(rules: unknown): unknown {
  const condition = (one: Json): Json => fill(one, { status: 'True' });
  return each(rules, (rule) =>
    fill(rule, { onPodConditions: (list: unknown) => each(list, condition) }),
  );
}

export function defaultCronJobSpec(spec: Json): Json {
  const job = asObject(spec.jobTemplate) ?? {};
  const templated = {
    ...spec,
    jobTemplate: { ...job, spec: withTemplate(asObject(job.spec) ?? {}) },
  };
  return fill(templated, {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
}
