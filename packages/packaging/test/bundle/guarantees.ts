/** What all renderings of an operator have in common, and no value and no overlay changes. */
import type { KubernetesObject } from '../../../../operator/model/object.ts';

type Json = Readonly<Record<string, unknown>>;

/** The rights, filter and containers of rendered objects, in an order that does not depend on the rendering. */
export interface Guarantees {
  /** Kinds, and how many of each. */
  readonly kinds: readonly string[];
  /** Rules with the namespace that they hold in; `*` for all. */
  readonly rules: readonly Json[];
  /** Who has the rules: kind and role of each binding, and its subjects. */
  readonly bindings: readonly Json[];
  readonly containers: Readonly<Record<string, ContainerGuarantees>>;
  readonly pod: Json;
}

export interface ContainerGuarantees {
  readonly command: unknown;
  readonly args: unknown;
  readonly mounts: unknown;
  readonly isInit: boolean;
  readonly ports: unknown;
}

interface Container extends Json {
  readonly name: string;
}

export interface PodSpec extends Json {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
}

interface Rights extends KubernetesObject {
  readonly rules?: readonly Json[];
  readonly roleRef?: Json;
  readonly subjects?: readonly Json[];
}

/** @param objects - with one Deployment. */
export function guaranteesOf(objects: readonly KubernetesObject[]): Guarantees {
  const pod = podSpecOf(objects);
  const { containers, initContainers = [] } = pod;
  const guarded = [
    ...containers.map((each) => [each.name, guardedContainer(each, false)] as const),
    ...initContainers.map((each) => [each.name, guardedContainer(each, true)] as const),
  ];
  return {
    kinds: objects.map(({ kind }) => kind).sort(),
    rules: inOrder(objects.filter(isRole).flatMap(rulesOf)),
    bindings: inOrder(objects.filter(isBinding).map(bindingOf)),
    containers: Object.fromEntries(guarded),
    pod: {
      volumes: inOrder((pod.volumes ?? []) as readonly Json[]),
      automountServiceAccountToken: pod.automountServiceAccountToken,
      serviceAccountName: pod.serviceAccountName,
    },
  };
}

/** The Pod of the one Deployment. */
export function podSpecOf(objects: readonly KubernetesObject[]): PodSpec {
  const [deployment, ...more] = objects.filter(({ kind }) => kind === 'Deployment');
  if (deployment === undefined || more.length > 0) throw new Error('expected one Deployment');
  const { spec } = deployment as KubernetesObject & {
    readonly spec: { readonly template: { readonly spec: PodSpec } };
  };
  return spec.template.spec;
}

function guardedContainer(container: Container, isInit: boolean): ContainerGuarantees {
  const { command, args, volumeMounts = [], ports = [] } = container;
  return {
    command,
    args,
    mounts: inOrder(volumeMounts as readonly Json[]),
    isInit,
    ports: inOrder(ports as readonly Json[]),
  };
}

function isRole({ kind }: KubernetesObject): boolean {
  return kind === 'Role' || kind === 'ClusterRole';
}

function isBinding({ kind }: KubernetesObject): boolean {
  return kind === 'RoleBinding' || kind === 'ClusterRoleBinding';
}

/** Without the names of roles, which differ between renderings. */
function rulesOf(role: KubernetesObject): readonly Json[] {
  const { kind, metadata, rules = [] } = role as Rights;
  const namespace = kind === 'ClusterRole' ? '*' : metadata.namespace;
  return rules.map((rule) => ({ namespace, ...rule }));
}

function bindingOf(binding: KubernetesObject): Json {
  const { kind, metadata, roleRef, subjects } = binding as Rights;
  return { kind, namespace: metadata.namespace, roleRef, subjects };
}

function inOrder(items: readonly Json[]): readonly Json[] {
  const texts = items.map((item) => [JSON.stringify(sortedKeys(item)), item] as const);
  return texts.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, sortedKeys(each)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
