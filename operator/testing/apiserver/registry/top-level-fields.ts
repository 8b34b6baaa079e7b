const SPEC_AND_STATUS: readonly string[] = ['spec', 'status'];

/** The fields beside apiVersion, kind and metadata, for kinds that have others than spec and status. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ['immutable', 'data', 'binaryData'],
  Secret: ['immutable', 'data', 'stringData', 'type'],
  ServiceAccount: ['secrets', 'imagePullSecrets', 'automountServiceAccountToken'],
  Endpoints: ['subsets'],
  EndpointSlice: ['addressType', 'endpoints', 'ports'],
  Event: [
    'involvedObject',
    'reason',
    'message',
    'source',
    'firstTimestamp',
    'lastTimestamp',
    'count',
    'type',
    'eventTime',
    'series',
    'action',
    'related',
    'reportingComponent',
    'reportingInstance',
  ],
  Role: ['rules'],
  ClusterRole: ['rules', 'aggregationRule'],
  RoleBinding: ['subjects', 'roleRef'],
  ClusterRoleBinding: ['subjects', 'roleRef'],
  ControllerRevision: ['data', 'revision'],
  PodTemplate: ['template'],
  PriorityClass: ['value', 'globalDefault', 'description', 'preemptionPolicy'],
  StorageClass: [
    'provisioner',
    'parameters',
    'reclaimPolicy',
    'mountOptions',
    'allowVolumeExpansion',
    'volumeBindingMode',
    'allowedTopologies',
  ],
};

/** The top-level fields of a built-in kind, in the order in which they are encoded. */
export function topLevelFields(kind: string): readonly string[] {
  return FIELDS[kind] ?? SPEC_AND_STATUS;
}
