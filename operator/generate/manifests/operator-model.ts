import { AccessByScope } from '../../access/access-by-scope.ts';
import { filterOf } from '../../access/filter/proxy-filter.ts';
import type { AccessRule } from '../../access/merge-access.ts';
import { type Placement, POD_NAMESPACE } from '../../access/placement.ts';
import { type RbacRole, type RbacRoleBinding, rbacOf } from '../../access/rbac.ts';
import type { Declared } from '../../controller/access-declaration.ts';
import { VERSION } from '../../core/version.ts';
import { parseYaml } from '../../core/yaml.ts';
import type { CustomResourceDefinition } from '../../model/custom-resource-definition.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { isWebhook } from '../../webhook/webhook.ts';
import { type Monitoring, monitoringOf } from '../monitoring/monitoring.ts';
import { certificateModel } from '../webhook/certificates.ts';
import { gateConfigurations } from '../webhook/configurations.ts';
import { convertedDefinition, type WebhookModel, webhookModel } from '../webhook/webhook-model.ts';
import {
  type GateOptions,
  hasGate,
  isServing,
  OWN_GATE_IMAGE,
  requireServable,
  type WebhooksOptions,
} from '../webhook/webhooks-options.ts';
import { type ComponentModel, type ComponentName, componentModels } from './component-model.ts';
import { ambassadorArguments, deploymentValues } from './deployment-template.ts';
import { scalar, type TemplateValues, templateText } from './manifest-file.ts';
import { electionOf, type ManifestsOptions, requireUsable } from './manifests-options.ts';
import type { EnvironmentVariable, ModelDeployment } from './model-deployment.ts';
import { configMapOf, folderData } from './mounted-folder.ts';

/** The scope of an operator: its own namespace, or all namespaces. */
export type Scope = 'namespaced' | 'cluster-scoped';

/** The gate options that apply by default. */
const DEFAULT_GATE: GateOptions = {
  certificates: 'cert-manager',
  image: `${OWN_GATE_IMAGE}:${VERSION}`,
};

/** The parts of an operator that depend on its scope. */
export interface ScopeModel {
  /** All rights except the rights for the election. Those are in `OperatorModel`. */
  readonly rights: readonly (RbacRole | RbacRoleBinding)[];
  /** All arguments of the container `proxy`, with the filter. */
  readonly proxyArguments: readonly string[];
  /** `WATCH_NAMESPACE` of the container `operator`. */
  readonly watchNamespace: EnvironmentVariable;
  /**
   * Configurations of the declared webhooks: for the watched namespaces, or for all namespaces
   * except the operator's own.
   */
  readonly webhooks: readonly KubernetesObject[];
}

/**
 * An operator in a cluster, before it is rendered. The renderers for kustomize, Helm and OLM all
 * use this model.
 */
export interface OperatorModel {
  /** The access that the declarations require in each scope. */
  readonly access: AccessByScope;
  readonly options: ManifestsOptions;
  readonly namespace: KubernetesObject;
  readonly serviceAccount: KubernetesObject;
  /** Rights in the operator's namespace for the election. Empty without an election. */
  readonly electionRights: readonly (RbacRole | RbacRoleBinding)[];
  /** Arguments of the container `proxy` that allow only the election. */
  readonly electionArguments: readonly string[];
  /** The Deployment without a scope: no `WATCH_NAMESPACE`, and the filter of the election. */
  readonly deployment: ModelDeployment;
  readonly scopes: Readonly<Record<Scope, ScopeModel>>;
  readonly components: Readonly<Record<ComponentName, ComponentModel>>;
  /**
   * The definitions to install. Empty when the operator installs its definitions itself, and when
   * it shares them with other operators.
   */
  readonly definitions: readonly CustomResourceDefinition[];
  /**
   * The gate, and the webhooks, conversions and metrics behind it. Undefined when there is nothing
   * behind it.
   */
  readonly webhooks: WebhookModel | undefined;
  /** Alerts and a dashboard, which are optional. */
  readonly monitoring: Monitoring;
  /**
   * The ConfigMap of the mounted folder. Undefined without a folder, and when the contents of its
   * files are missing.
   */
  readonly configMap:
    | (KubernetesObject & { readonly data: Readonly<Record<string, string>> })
    | undefined;
}

/**
 * The model of an operator with these declarations.
 *
 * @throws ConfigurationError `CONFIG` for an option that cannot be part of a manifest, and in the
 * same cases as `rbac` and `proxyFilter`.
 */
export function operatorModel(
  declared: readonly Declared[],
  options: ManifestsOptions,
): OperatorModel {
  return modelOf(new AccessByScope(declared, options.installCrds), options);
}

/**
 * The model of an operator whose access is already known. So several models with different options
 * can be made from one access.
 */
export function modelOf(access: AccessByScope, options: ManifestsOptions): OperatorModel {
  requireUsable(options);
  const { definitions = [], installCrds, program } = options;
  const values = { name: scalar(options.name), namespace: scalar(options.namespace) };
  const electionAccess = access.ofElection(electionOf(options));
  const electionArguments = ambassadorArguments(filterOf(electionAccess), options);
  const webhooks = servedBy(access, options);
  const filled = withArguments(baseDeployment(options, webhooks), electionArguments);
  const deployment = { ...filled, metadata: { ...filled.metadata, namespace: options.namespace } };
  const isShared = program?.sharesDefinitions === true;
  return {
    access,
    options,
    namespace: fromText('namespace', values),
    serviceAccount: fromText('service-account', values),
    electionRights: roles(electionAccess, options, '-election'),
    electionArguments,
    deployment,
    scopes: {
      namespaced: scopeModel('namespaced', access, options),
      'cluster-scoped': scopeModel('cluster-scoped', access, options),
    },
    components: componentModels(deployment, webhooks?.scraping),
    definitions: [
      ...(installCrds || isShared ? [] : definitionsOf(access, options, webhooks)),
      ...definitions,
    ],
    webhooks,
    monitoring: monitoringOf({
      ...options,
      hasElection: options.leaderElection,
      isSharded: options.shards !== undefined,
      hasWebhooks: webhooks !== undefined && isServing(webhooks.options),
      ...(options.metricsPrefix !== undefined && { prefix: options.metricsPrefix }),
    }),
    configMap: folderObject(options),
  };
}

/** The definitions of the declared resources, as they are installed. */
export function definitionsOf(
  access: AccessByScope,
  options: ManifestsOptions,
  webhooks: WebhookModel | undefined,
): readonly CustomResourceDefinition[] {
  if (webhooks === undefined) return access.definitions;
  return access.definitions.map((each) => convertedDefinition(each, webhooks.options, options));
}

/**
 * The gate of the operator. Undefined when no webhook or conversion is declared, and the operator
 * serves its metrics itself.
 *
 * @throws ConfigurationError `CONFIG` when webhooks cannot be served as they are declared.
 */
function servedBy(access: AccessByScope, options: ManifestsOptions): WebhookModel | undefined {
  const served = servingOf(access, options);
  if (!hasGate(served)) return undefined;
  const { installCrds, leaderElection, name } = options;
  requireServable(served, { name, installCrds, electsLeader: leaderElection });
  return webhookModel(served, options);
}

function servingOf(
  access: AccessByScope,
  { gate = DEFAULT_GATE }: ManifestsOptions,
): WebhooksOptions {
  return { ...gate, webhooks: access.declared.filter(isWebhook), conversions: access.conversions };
}

/** The Deployment of the base, without arguments of the ambassador. */
export function baseDeployment(
  options: ManifestsOptions,
  webhooks?: WebhookModel,
): ModelDeployment {
  const values = { name: scalar(options.name), namespace: scalar(options.namespace) };
  return fromText('deployment', { ...values, ...deploymentValues(options, webhooks) });
}

function fromText<T = KubernetesObject>(name: string, values: TemplateValues): T {
  return parseYaml(templateText(`base/${name}.yaml`, values)) as T;
}

/** The Deployment with other arguments of the container `proxy`. */
function withArguments(deployment: ModelDeployment, args: readonly string[]): ModelDeployment {
  const { template } = deployment.spec;
  const containers = template.spec.containers.map((container) =>
    container.name === 'proxy' ? { ...container, args } : container,
  );
  const pod = { ...template, spec: { ...template.spec, containers } };
  return { ...deployment, spec: { ...deployment.spec, template: pod } };
}

/** The parts of an operator that depend on this scope. */
export function scopeModel(
  scope: Scope,
  access: AccessByScope,
  options: ManifestsOptions,
): ScopeModel {
  const namespaces = watchedBy(scope, options);
  const filter = filterOf(access.withElection(namespaces, electionOf(options)));
  const patch = parseYaml(
    templateText(`components/${scope}/watch-namespace.yaml`, { name: scalar(options.name) }),
  ) as ModelDeployment;
  const [watchNamespace] =
    patch.spec.template.spec.containers.find(({ name }) => name === 'operator')?.env ?? [];
  if (watchNamespace === undefined) throw new Error(`${scope} sets no WATCH_NAMESPACE`);
  return {
    rights: roles(access.within(namespaces), options),
    proxyArguments: ambassadorArguments(filter, options),
    watchNamespace,
    webhooks: configurationsOf(namespaces, access, options),
  };
}

function configurationsOf(
  watched: Placement['namespaces'],
  access: AccessByScope,
  options: ManifestsOptions,
): readonly KubernetesObject[] {
  const { name, namespace } = options;
  const served = servingOf(access, options);
  const namespaces = watched?.map((each) => (each === POD_NAMESPACE ? namespace : each));
  const { trusting } = certificateModel(served, options);
  return gateConfigurations(served, { name, namespace, namespaces }, trusting);
}

function watchedBy(scope: Scope, { watched }: ManifestsOptions): Placement['namespaces'] {
  if (watched !== undefined) return watched === 'all' ? undefined : watched;
  return scope === 'namespaced' ? [POD_NAMESPACE] : undefined;
}

/**
 * Roles and bindings for the operator's ServiceAccount. Each Role and RoleBinding sets its
 * namespace explicitly. An overlay that moves the operator to another namespace selects them by
 * this namespace. All other overlays keep them unchanged.
 *
 * @param suffix - appended to the operator's name to form the names of the roles.
 */
function roles(
  accesses: readonly AccessRule[],
  { name, namespace }: Pick<ManifestsOptions, 'name' | 'namespace'>,
  suffix: string = '',
): readonly (RbacRole | RbacRoleBinding)[] {
  // Without this replacement, an operator in the namespace `default` would have two roles there.
  // Events about cluster-scoped objects are also in that namespace.
  const placed = accesses.map((access) =>
    access.namespace === namespace ? { ...access, namespace: POD_NAMESPACE } : access,
  );
  const granted = rbacOf(placed, {
    name: `${name}${suffix}`,
    serviceAccount: { name, namespace },
  });
  return granted.map((object) => {
    const isOurs = object.kind === 'Role' || object.kind === 'RoleBinding';
    if (!isOurs || object.metadata.namespace !== undefined) return object;
    return { ...object, metadata: { ...object.metadata, namespace } };
  });
}

/**
 * The ConfigMap of the mounted folder. Undefined when nothing is mounted, and when only the paths
 * of the files are known.
 */
function folderObject({ name, namespace, program }: ManifestsOptions): OperatorModel['configMap'] {
  const folder = program?.folder;
  if (folder?.texts === undefined) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: configMapOf(folder, name), namespace },
    data: folderData(folder.texts),
  };
}
