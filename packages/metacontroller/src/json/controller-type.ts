import { always, filled, type GoField, type GoStruct, set, struct } from './go-struct.ts';

/**
 * The fields of all types are in the order in which Go writes them. The fields of an embedded
 * struct come at the place where the struct is embedded. In TypeMeta, `kind` comes first.
 */
const OWNER_REFERENCE = struct(
  always('apiVersion'),
  always('kind'),
  always('name'),
  always('uid'),
  set('controller'),
  set('blockOwnerDeletion'),
);

/** `fieldsV1` is raw JSON. Its keys keep the order of the server, which sorts them. */
const MANAGED_FIELDS_ENTRY = struct(
  filled('manager'),
  filled('operation'),
  filled('apiVersion'),
  set('time'),
  filled('fieldsType'),
  set('fieldsV1'),
  filled('subresource'),
);

const OBJECT_META = struct(
  filled('name'),
  filled('generateName'),
  filled('namespace'),
  filled('selfLink'),
  filled('uid'),
  filled('resourceVersion'),
  filled('generation', 'raw'),
  set('creationTimestamp'),
  set('deletionTimestamp'),
  set('deletionGracePeriodSeconds'),
  filled('labels', 'map'),
  filled('annotations', 'map'),
  filled('ownerReferences', { listOf: OWNER_REFERENCE }),
  filled('finalizers', { listOf: 'string' }),
  filled('managedFields', { listOf: MANAGED_FIELDS_ENTRY }),
);

const REQUIREMENTS = {
  listOf: struct(always('key'), always('operator'), filled('values', { listOf: 'string' })),
} as const;

const LABEL_SELECTOR = struct(
  filled('matchLabels', 'map'),
  filled('matchExpressions', REQUIREMENTS),
);

const ANNOTATION_SELECTOR = struct(
  filled('matchAnnotations', 'map'),
  filled('matchExpressions', REQUIREMENTS),
);

const SECRET = struct(always('name'), always('namespace'));
const KEY_REFERENCE = struct(always('name'), always('namespace'), filled('key'));

/** The connection fields of a webhook, and of an entry of `endpointConfigs`. */
const CONNECTION = [
  set(
    'caBundle',
    struct(set('inline'), set('secretRef', KEY_REFERENCE), set('configMapRef', KEY_REFERENCE)),
  ),
  set('clientTLS', struct(always('secretRef', SECRET), filled('certKey'), filled('privateKeyKey'))),
  set(
    'authorization',
    struct(
      filled('type'),
      always('secretRef', struct(always('name'), always('namespace'), always('key'))),
    ),
  ),
  set(
    'basicAuth',
    struct(always('secretRef', SECRET), filled('usernameKey'), filled('passwordKey')),
  ),
] as const;

const WEBHOOK = struct(
  set('url'),
  set('timeout', 'duration'),
  set('etag', struct(set('enabled'), set('cacheTimeoutSeconds'), set('cacheCleanupSeconds'))),
  set('path'),
  set('service', struct(always('name'), always('namespace'), set('port'), set('protocol'))),
  set('responseUnMarshallMode'),
  ...CONNECTION,
);

const HOOK = struct(set('version'), set('webhook', WEBHOOK));
const HOOKS = [set('customize', HOOK), set('sync', HOOK), set('finalize', HOOK)] as const;

const RULE = [always('apiVersion'), always('resource')] as const;

const STATUS_CHECKS = struct(
  filled('conditions', { listOf: struct(always('type'), set('status'), set('reason')) }),
);

const CHILD_RESOURCE = struct(
  ...RULE,
  set('updateStrategy', struct(filled('method'), always('statusChecks', STATUS_CHECKS))),
);

const COMPOSITE_SPEC = struct(
  always(
    'parentResource',
    struct(
      ...RULE,
      set('revisionHistory', struct(filled('fieldPaths', { listOf: 'string' }))),
      set('labelSelector', LABEL_SELECTOR),
      set('ignoreStatusChanges'),
    ),
  ),
  filled('childResources', { listOf: CHILD_RESOURCE }),
  set('hooks', struct(...HOOKS, set('preUpdateChild', HOOK), set('postUpdateChild', HOOK))),
  filled('endpointConfigs', { listOf: struct(always('host'), ...CONNECTION) }),
  set('resyncPeriodSeconds'),
  set('generateSelector'),
);

const DECORATOR_SPEC = struct(
  always('resources', {
    listOf: struct(
      ...RULE,
      set('labelSelector', LABEL_SELECTOR),
      set('annotationSelector', ANNOTATION_SELECTOR),
      set('ignoreStatusChanges'),
    ),
  }),
  filled('attachments', {
    listOf: struct(...RULE, set('updateStrategy', struct(filled('method')))),
  }),
  set('hooks', struct(...HOOKS)),
  filled('endpointConfigs', { listOf: struct(always('host'), ...CONNECTION) }),
  set('resyncPeriodSeconds'),
);

function object(spec: GoStruct): GoStruct {
  const status: GoField = always('status', struct());
  return struct(
    filled('kind'),
    filled('apiVersion'),
    always('metadata', OBJECT_META),
    always('spec', spec),
    status,
  );
}

/**
 * The types of the `controller` of a request. They follow pkg/apis/metacontroller/v1alpha1/types.go
 * in Metacontroller, and the package metav1 of Kubernetes.
 */
export const CONTROLLER_TYPES: Readonly<
  Record<'CompositeController' | 'DecoratorController', GoStruct>
> = {
  CompositeController: object(COMPOSITE_SPEC),
  DecoratorController: object(DECORATOR_SPEC),
};
