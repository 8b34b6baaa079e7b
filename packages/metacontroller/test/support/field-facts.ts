/**
 * What Metacontroller's own definitions say, field by field. The tables were written down by hand from them, but for
 * `status`, where the conditions are added.
 */

/** One line for each field: `path: type`, then what else the schema says. `!` marks a required field. */
const LABEL_SELECTOR = `
: object, map atomic
.matchLabels: object of string
.matchExpressions: array, list atomic
.matchExpressions[]: object
.matchExpressions[].key!: string
.matchExpressions[].operator!: string
.matchExpressions[].values: array, list atomic
.matchExpressions[].values[]: string`;

const CONNECTION = `
.caBundle: object
.caBundle.inline: string
.caBundle.secretRef: object
.caBundle.secretRef.name!: string
.caBundle.secretRef.namespace!: string
.caBundle.secretRef.key: string, default "ca.crt"
.caBundle.configMapRef: object
.caBundle.configMapRef.name!: string
.caBundle.configMapRef.namespace!: string
.caBundle.configMapRef.key: string, default "ca.crt"
.clientTLS: object
.clientTLS.secretRef!: object
.clientTLS.secretRef.name!: string
.clientTLS.secretRef.namespace!: string
.clientTLS.certKey: string, default "tls.crt"
.clientTLS.privateKeyKey: string, default "tls.key"
.authorization: object
.authorization.type: string, default "Bearer"
.authorization.secretRef!: object
.authorization.secretRef.name!: string
.authorization.secretRef.namespace!: string
.authorization.secretRef.key!: string
.basicAuth: object
.basicAuth.secretRef!: object
.basicAuth.secretRef.name!: string
.basicAuth.secretRef.namespace!: string
.basicAuth.usernameKey: string, default "username"
.basicAuth.passwordKey: string, default "password"`;

const HOOK = `
: object
.version: string, default "v1", enum v1 v2
.webhook: object
.webhook.url: string
.webhook.service: object
.webhook.service.name!: string
.webhook.service.namespace!: string
.webhook.service.port: integer int32
.webhook.service.protocol: string
.webhook.path: string
.webhook.timeout: string duration
.webhook.etag: object
.webhook.etag.enabled: boolean
.webhook.etag.cacheTimeoutSeconds: integer int32
.webhook.etag.cacheCleanupSeconds: integer int32
.webhook.responseUnMarshallMode: string, enum loose strict
${below('.webhook', CONNECTION)}`;

const METHOD =
  '.updateStrategy.method: string, enum OnDelete Recreate InPlace RollingRecreate RollingInPlace';

const ENDPOINTS = `
spec.endpointConfigs: array
spec.endpointConfigs[]: object
spec.endpointConfigs[].host!: string
${below('spec.endpointConfigs[]', CONNECTION)}`;

/** Theirs is an empty object. The conditions are the one addition. */
const STATUS = `
status: object
status.conditions: array, list map by type
status.conditions[]: object
status.conditions[].type!: string
status.conditions[].status!: string, enum True False Unknown
status.conditions[].observedGeneration: integer int64, minimum 0
status.conditions[].lastTransitionTime!: string date-time
status.conditions[].reason!: string
status.conditions[].message!: string`;

const OBJECT = `
apiVersion: string
kind: string
metadata!: object`;

export const COMPOSITE = `${OBJECT}
spec!: object
spec.parentResource!: object
spec.parentResource.apiVersion!: string
spec.parentResource.resource!: string
${below('spec.parentResource.labelSelector', LABEL_SELECTOR)}
spec.parentResource.revisionHistory: object
spec.parentResource.revisionHistory.fieldPaths: array
spec.parentResource.revisionHistory.fieldPaths[]: string
spec.parentResource.ignoreStatusChanges: boolean
spec.childResources: array
spec.childResources[]: object
spec.childResources[].apiVersion!: string
spec.childResources[].resource!: string
spec.childResources[].updateStrategy: object
spec.childResources[]${METHOD}
spec.childResources[].updateStrategy.statusChecks: object
spec.childResources[].updateStrategy.statusChecks.conditions: array
spec.childResources[].updateStrategy.statusChecks.conditions[]: object
spec.childResources[].updateStrategy.statusChecks.conditions[].type!: string
spec.childResources[].updateStrategy.statusChecks.conditions[].status: string
spec.childResources[].updateStrategy.statusChecks.conditions[].reason: string
spec.generateSelector: boolean
spec.resyncPeriodSeconds: integer int32
spec.hooks: object
${below('spec.hooks.sync', HOOK)}
${below('spec.hooks.finalize', HOOK)}
${below('spec.hooks.customize', HOOK)}
${below('spec.hooks.preUpdateChild', HOOK)}
${below('spec.hooks.postUpdateChild', HOOK)}
${ENDPOINTS}
${STATUS}`;

export const DECORATOR = `${OBJECT}
spec!: object
spec.resources!: array
spec.resources[]: object
spec.resources[].apiVersion!: string
spec.resources[].resource!: string
${below('spec.resources[].labelSelector', LABEL_SELECTOR)}
spec.resources[].annotationSelector: object
spec.resources[].annotationSelector.matchAnnotations: object of string
spec.resources[].annotationSelector.matchExpressions: array
spec.resources[].annotationSelector.matchExpressions[]: object
spec.resources[].annotationSelector.matchExpressions[].key!: string
spec.resources[].annotationSelector.matchExpressions[].operator!: string
spec.resources[].annotationSelector.matchExpressions[].values: array, list atomic
spec.resources[].annotationSelector.matchExpressions[].values[]: string
spec.resources[].ignoreStatusChanges: boolean
spec.attachments: array
spec.attachments[]: object
spec.attachments[].apiVersion!: string
spec.attachments[].resource!: string
spec.attachments[].updateStrategy: object
spec.attachments[]${METHOD}
spec.resyncPeriodSeconds: integer int32
spec.hooks: object
${below('spec.hooks.sync', HOOK)}
${below('spec.hooks.finalize', HOOK)}
${below('spec.hooks.customize', HOOK)}
${ENDPOINTS}
${STATUS}`;

export const REVISION = `${OBJECT}
parentPatch!: object, any fields
children: array
children[]: object
children[].apiGroup!: string
children[].kind!: string
children[].names!: array
children[].names[]: string`;

/** Each line of `facts` with `path` before it. */
function below(path: string, facts: string): string {
  return linesOf(facts)
    .map((line) => `${path}${line}`)
    .join('\n');
}

export function linesOf(facts: string): string[] {
  return facts.split('\n').filter((line) => line !== '');
}
