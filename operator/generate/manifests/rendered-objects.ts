import { isMapping } from '../../core/mapping.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { reasonForTwo } from '../webhook/webhooks-options.ts';
import {
  COMPONENT_NAMES,
  type ComponentModel,
  type ComponentName,
  type PatchOfDeployment,
} from './component-model.ts';
import type { ModelDeployment } from './model-deployment.ts';
import type { OperatorModel, Scope } from './operator-model.ts';

/** The scope and the components to render. */
export interface Rendering {
  readonly scope: Scope;
  /** The components, in any order. Default: none. */
  readonly components?: readonly ComponentName[];
}

/** The objects that kustomize renders for an overlay with these components, definitions last. */
export function renderedObjects(
  model: OperatorModel,
  rendering: Rendering,
): readonly KubernetesObject[] {
  const { components = [], scope } = rendering;
  return [
    model.namespace,
    model.serviceAccount,
    ...model.electionRights,
    ...model.scopes[scope].rights,
    renderedDeployment(model, rendering),
    ...(model.configMap === undefined ? [] : [model.configMap]),
    ...(model.webhooks?.objects ?? []),
    ...(model.webhooks?.certificates.objects ?? []),
    ...model.scopes[scope].webhooks,
    ...inOrder(components).flatMap((name) => model.components[name].objects),
    ...model.definitions,
  ];
}

/** The Deployment that kustomize renders for an overlay with these components. */
export function renderedDeployment(
  model: OperatorModel,
  { components = [], scope }: Rendering,
): ModelDeployment {
  const { proxyArguments, watchNamespace } = model.scopes[scope];
  const named = inOrder(components);
  const args = [
    ...proxyArguments,
    ...named.flatMap((name) => model.components[name].proxyArguments),
  ];
  const scoped = {
    spec: {
      template: {
        spec: {
          containers: [
            { name: 'proxy', args },
            { name: 'operator', env: [watchNamespace] },
          ],
        },
      },
    },
  };
  const deployment = patched(model.deployment, scoped);
  return named.reduce(
    (before, name) => withComponent(before, name, model.components[name]),
    deployment,
  );
}

/** The Deployment with the patches of a component. Arguments of the ambassador are not added. */
export function withComponent(
  deployment: ModelDeployment,
  name: ComponentName,
  { patches }: ComponentModel,
): ModelDeployment {
  const before = name === 'native-sidecar' ? withProxyCopied(deployment) : deployment;
  return patches.reduce<ModelDeployment>(patched, before);
}

function inOrder(names: readonly ComponentName[]): readonly ComponentName[] {
  return COMPONENT_NAMES.filter((name) => names.includes(name));
}

/**
 * The components of the generated overlays. There are two replicas if requests fail while no
 * replica answers.
 *
 * Beside a gate, the ambassador is a native sidecar, too. The gate ends after the last plain
 * container. If the ambassador were a plain container, the gate would answer 502 until the
 * ambassador ends, because the operator behind the gate is already gone.
 */
export function overlayComponents({
  options,
  webhooks,
}: Pick<OperatorModel, 'options' | 'webhooks'>): readonly ComponentName[] {
  const shared = options.shards === undefined ? [] : HIGHLY_AVAILABLE;
  if (webhooks === undefined) return shared;
  const { conversions = [] } = webhooks.options;
  const isClosed = conversions.length > 0 || reasonForTwo(webhooks.options) !== undefined;
  const isTwice = isClosed && options.leaderElection;
  return [...(isTwice ? HIGHLY_AVAILABLE : shared), 'native-sidecar'];
}

const HIGHLY_AVAILABLE: readonly ComponentName[] = ['high-availability'];

function withProxyCopied(deployment: ModelDeployment): ModelDeployment {
  const { template } = deployment.spec;
  const proxy = template.spec.containers.filter(({ name }) => name === 'proxy');
  const initContainers = [...(template.spec.initContainers ?? []), ...proxy];
  const pod = { ...template, spec: { ...template.spec, initContainers } };
  return { ...deployment, spec: { ...deployment.spec, template: pod } };
}

/**
 * The field by which the items of a list are merged, keyed by the name of the list. All other lists
 * are replaced.
 */
export const MERGE_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  env: 'name',
  volumes: 'name',
  volumeMounts: 'mountPath',
  ports: 'containerPort',
  topologySpreadConstraints: 'topologyKey',
};

function patched(deployment: ModelDeployment, { spec }: PatchOfDeployment): ModelDeployment {
  return { ...deployment, spec: merged(deployment.spec, spec) as ModelDeployment['spec'] };
}

/**
 * A value merged with a patch like in kustomize: null removes a field, and the items of the patch
 * come first.
 */
function merged(value: unknown, patch: unknown, field: string = ''): unknown {
  if (Array.isArray(patch)) return mergedList(Array.isArray(value) ? value : [], patch, field);
  if (!isMapping(patch)) return patch;
  const result: Record<string, unknown> = isMapping(value) ? { ...value } : {};
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) delete result[key];
    else result[key] = merged(result[key], change, key);
  }
  return result;
}

function mergedList(
  items: readonly unknown[],
  patches: readonly unknown[],
  field: string,
): readonly unknown[] {
  const key = MERGE_KEYS[field];
  if (key === undefined || !patches.every(isMapping)) return patches;
  const known = items.filter(isMapping);
  const named = patches.flatMap((patch) => {
    if (patch.$patch === 'delete') return [];
    return [
      merged(
        known.find((item) => item[key] === patch[key]),
        patch,
      ),
    ];
  });
  const others = known.filter((item) => !patches.some((patch) => patch[key] === item[key]));
  return [...named, ...others];
}
