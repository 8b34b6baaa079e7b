import { formatYaml, parseYaml } from '../../core/yaml.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { GATE_METRICS_PORT } from '../gate/gate-config.ts';
import { METRICS_PORT } from '../webhook/webhook-model.ts';
import { kubectlOf } from './deployment-template.ts';
import { type TemplateValues, templateText } from './manifest-file.ts';
import type { ModelDeployment } from './model-deployment.ts';

/**
 * Components that fit every operator, in the order in which they are applied. `native-sidecar` is
 * the last one.
 */
export const COMPONENT_NAMES = [
  'debug',
  'high-availability',
  'network-policy',
  'prometheus',
  'unix-socket',
  'native-sidecar',
] as const;
export type ComponentName = (typeof COMPONENT_NAMES)[number];

/** The changes that a component makes to the manifests. */
export interface ComponentModel {
  /**
   * Strategic merge patches for the Deployment: lists of named items are merged by name, and null
   * removes a field. The patches of `native-sidecar` expect a copy of the container `proxy` among
   * the `initContainers`.
   */
  readonly patches: readonly PatchOfDeployment[];
  /** Arguments that are added to the arguments of the container `proxy`. */
  readonly proxyArguments: readonly string[];
  /** Additional objects, with the name, the namespace and the selector of the operator. */
  readonly objects: readonly KubernetesObject[];
}

/** A strategic merge patch for a Deployment. */
export interface PatchOfDeployment {
  readonly spec: Readonly<Record<string, unknown>>;
}

/** The fields of a kustomization that components use. */
interface Component {
  readonly resources?: readonly string[];
  readonly patches?: readonly { readonly patch: string }[];
  readonly replacements?: readonly {
    readonly source: { readonly kind: string; readonly fieldPath: string };
    readonly targets: readonly {
      readonly select: { readonly kind: string };
      readonly fieldPaths: readonly string[];
    }[];
  }[];
}

type Json = Record<string, unknown>;

/**
 * The values of the placeholders in the files of components.
 *
 * @param ambassador - the image of the ambassador.
 * @param scraping - as in `WebhookModel`. Undefined when the operator serves its metrics itself.
 */
export function componentValues(ambassador: string, scraping: object | undefined): TemplateValues {
  const isPlain = scraping === undefined;
  return {
    kubectl: kubectlOf(ambassador),
    metricsPort: `- { protocol: TCP, port: ${isPlain ? METRICS_PORT : GATE_METRICS_PORT} } # metrics\n`,
    operatorPort: isPlain
      ? templateText('components/prometheus/operator-port.yaml', { port: METRICS_PORT })
      : '',
    scraping: isPlain ? '' : formatYaml(scraping),
  };
}

/**
 * All components, with the names and selectors of this Deployment. They are read from the files
 * that kustomize applies.
 *
 * @param scraping - as in `WebhookModel`.
 */
export function componentModels(
  deployment: ModelDeployment,
  scraping?: object,
): Readonly<Record<ComponentName, ComponentModel>> {
  const models = COMPONENT_NAMES.map(
    (name) => [name, componentModel(name, deployment, scraping)] as const,
  );
  return Object.fromEntries(models) as Record<ComponentName, ComponentModel>;
}

/** One component, with the names and selectors of this Deployment. */
export function componentModel(
  name: ComponentName,
  deployment: ModelDeployment,
  scraping?: object,
): ComponentModel {
  const proxy = deployment.spec.template.spec.containers.find((each) => each.name === 'proxy');
  const values = componentValues(proxy?.image ?? '', scraping);
  const read = (file: string): unknown =>
    parseYaml(templateText(`components/${name}/${file}`, values));
  const {
    patches = [],
    replacements = [],
    resources = [],
  } = read('kustomization.yaml') as Component;
  const parsed = patches.map(({ patch }) => parseYaml(patch));
  const merged = parsed.filter((patch) => !Array.isArray(patch)) as Json[];
  const objects = resources.map((file) => read(file) as Json);
  for (const { source, targets } of replacements) {
    const value = valueAt(deployment, source.fieldPath);
    for (const { select, fieldPaths } of targets) {
      const found = [...objects.filter(({ kind }) => kind === select.kind)];
      if (select.kind === 'Deployment') found.push(...merged);
      for (const path of fieldPaths) for (const each of found) setAt(each, path, value);
    }
  }
  return {
    patches: merged as unknown as readonly PatchOfDeployment[],
    proxyArguments: parsed.filter((patch) => Array.isArray(patch)).flatMap(addedArguments),
    objects: objects as unknown as readonly KubernetesObject[],
  };
}

/** The arguments that the operations of a JSON patch append. */
function addedArguments(operations: readonly unknown[]): readonly string[] {
  const known = operations as readonly {
    readonly op: string;
    readonly path: string;
    readonly value: string;
  }[];
  return known.flatMap(({ op, path, value }) => {
    if (op === 'test') return [];
    if (op === 'add' && path === '/spec/template/spec/containers/0/args/-') return [value];
    throw new Error(`a component has an operation that the model does not know: ${op} ${path}`);
  });
}

function valueAt(object: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, field) => (value as Json)[field], object);
}

/** Sets all fields at a path. In the path, `*` stands for every item of a list. */
function setAt(object: Json, path: string, value: unknown): void {
  const [field = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    object[field] = value;
    return;
  }
  if (object[field] === undefined && field !== '*') object[field] = {};
  const items = field === '*' ? (object as unknown as Json[]) : [object[field] as Json];
  for (const item of items) setAt(item, rest.join('.'), value);
}
