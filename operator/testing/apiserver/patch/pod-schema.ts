import type { FieldSchema } from './field-schema.ts';

/** A value with one owner, such as a selector or a reference. */
export const ATOMIC: FieldSchema = { atomic: true };

/** A list whose items are told apart by `keys`; strategic merge uses the first of them. */
export function keyedBy(keys: readonly string[], items: FieldSchema = {}): FieldSchema {
  return { keys, mergeKey: keys[0] ?? '', items: { open: true, ...items } };
}

/** A map with these fields among others. */
export function struct(fields: Readonly<Record<string, FieldSchema>>): FieldSchema {
  return { open: true, fields };
}

/** The same, present in every object. */
export function always(schema: FieldSchema): FieldSchema {
  return { ...schema, present: {} };
}

export const SET: FieldSchema = { set: true, mergeKey: '' };

/** A free map: its keys are data. */
export const FREE_MAP: FieldSchema = { items: {} };

export const CONDITIONS: FieldSchema = keyedBy(['type']);

/** A list that is one field for server-side apply, but merges by key in a strategic patch. */
export function atomicKeyedBy(mergeKey: string, items: FieldSchema = {}): FieldSchema {
  return { atomic: true, mergeKey, items: { open: true, ...items } };
}

const OBJECT_META: FieldSchema = struct({
  labels: FREE_MAP,
  annotations: FREE_MAP,
  finalizers: SET,
  ownerReferences: keyedBy(['uid'], ATOMIC),
  managedFields: ATOMIC,
});

/** `metadata`, which every object has. */
export const METADATA: FieldSchema = always(OBJECT_META);

const VALUE_FROM: FieldSchema = struct({
  configMapKeyRef: ATOMIC,
  secretKeyRef: ATOMIC,
  fieldRef: ATOMIC,
  resourceFieldRef: ATOMIC,
});

const RESOURCES: FieldSchema = struct({
  limits: FREE_MAP,
  requests: FREE_MAP,
  claims: { keys: ['name'], items: { open: true } },
});

const CONTAINER: FieldSchema = struct({
  env: keyedBy(['name'], struct({ valueFrom: VALUE_FROM })),
  ports: {
    ...keyedBy(['containerPort', 'protocol']),
    keyDefaults: { protocol: 'TCP' },
  },
  resources: always(RESOURCES),
  volumeMounts: keyedBy(['mountPath']),
  volumeDevices: keyedBy(['devicePath']),
});

const CONTAINERS: FieldSchema = keyedBy(['name'], CONTAINER);

const REFERENCES: FieldSchema = keyedBy(['name'], ATOMIC);

const VOLUME: FieldSchema = struct({
  csi: struct({ nodePublishSecretRef: ATOMIC, volumeAttributes: FREE_MAP }),
  ephemeral: struct({
    volumeClaimTemplate: struct({
      metadata: METADATA,
      spec: always(struct({ selector: ATOMIC, dataSource: ATOMIC, resources: always(RESOURCES) })),
    }),
  }),
});

const NODE_AFFINITY: FieldSchema = struct({
  requiredDuringSchedulingIgnoredDuringExecution: ATOMIC,
});

/** `spec` of a Pod or of a Pod template. */
export const POD_SPEC: FieldSchema = always(
  struct({
    // No `omitempty` in the Go type: the empty object has `containers: null`.
    containers: { ...CONTAINERS, present: null },
    initContainers: CONTAINERS,
    ephemeralContainers: CONTAINERS,
    volumes: keyedBy(['name'], VOLUME),
    imagePullSecrets: REFERENCES,
    hostAliases: keyedBy(['ip']),
    topologySpreadConstraints: keyedBy(
      ['topologyKey', 'whenUnsatisfiable'],
      struct({ labelSelector: ATOMIC }),
    ),
    schedulingGates: keyedBy(['name']),
    resourceClaims: keyedBy(['name']),
    nodeSelector: { ...FREE_MAP, atomic: true },
    affinity: struct({ nodeAffinity: NODE_AFFINITY }),
    overhead: FREE_MAP,
  }),
);

/** `template` of the workload kinds. */
export const POD_TEMPLATE: FieldSchema = always(struct({ metadata: METADATA, spec: POD_SPEC }));

export const POD_STATUS: FieldSchema = always(
  struct({
    conditions: CONDITIONS,
    podIPs: keyedBy(['ip']),
    hostIPs: atomicKeyedBy('ip'),
    resourceClaimStatuses: keyedBy(['name']),
  }),
);
