import type { KubernetesObject } from '../../../model/object.ts';
import {
  type LabelSelector,
  matchesSelector,
  selectorFromObject,
} from '../../../model/selector.ts';
import type { Problem, Rule } from '../diagnostic.ts';
import type { Installation } from '../installation.ts';
import { servicesOf } from './gate.ts';

/** A webhook that refuses requests while no Pod of the installation answers. */
interface ClosedWebhook {
  readonly level: 'error' | 'warning';
  readonly object: string;
  readonly path: string;
  /** True when the webhook is called for Pods without which a node cannot run any other Pod. */
  readonly keepsNodes: boolean;
}

/** The labels of `kube-system`, the namespace of the Pods that every node needs. */
const SYSTEM = { 'kubernetes.io/metadata.name': 'kube-system' };

export const closedWebhooks: Rule = {
  id: 'closed-webhooks',
  check: (installation): readonly Problem[] => {
    const { replicas } = installation;
    if (replicas === undefined) return [];
    const why = 'writes are refused while that Pod starts anew, or moves to another node';
    const isBudgeted = hasBudget(installation);
    return closedIn(installation).flatMap(({ keepsNodes, ...where }): readonly Problem[] => {
      if (keepsNodes) return [{ ...where, ...NODES_WAIT }];
      if (replicas < 2) {
        const wrong = `refuses requests while no replica answers, with ${replicas === 1 ? 'one replica' : 'no replica'}`;
        const todo = 'use the component high-availability, or failurePolicy Ignore';
        return [{ ...where, wrong, why, todo }];
      }
      if (isBudgeted) return [];
      const wrong =
        'refuses requests while no replica answers, and no PodDisruptionBudget keeps a replica';
      const todo = 'use the component high-availability, which has one';
      return [{ ...where, wrong, why: 'draining nodes may take all Pods at once', todo }];
    });
  },
};

const NODES_WAIT = {
  level: 'warning',
  wrong: 'refuses the Pods of kube-system while no replica answers',
  why: 'a new node has no network before such Pods run, and without nodes no replica ever answers',
  todo: 'leave kube-system out by the namespaceSelector, or use failurePolicy Ignore',
} as const;

function closedIn(installation: Installation): readonly ClosedWebhook[] {
  const isOurs = isCallOf(installation);
  return installation.objects.flatMap((each): readonly ClosedWebhook[] => {
    const object = `${each.kind}/${each.metadata.name}`;
    const { webhooks, spec } = each as Called;
    if (/^(?:Validating|Mutating)WebhookConfiguration$/.test(each.kind)) {
      // If the field `failurePolicy` is missing, the API server uses `Fail`.
      return (webhooks ?? []).flatMap(
        ({ name, clientConfig, failurePolicy = 'Fail', ...asked }) => {
          if (failurePolicy !== 'Fail' || !isOurs(clientConfig)) return [];
          const where = { object, path: `webhooks[${name}].failurePolicy` };
          return [false, ...(isAskedOfSystem(asked) ? [true] : [])].map((keepsNodes) => ({
            ...where,
            ...{ level: 'error', keepsNodes },
          }));
        },
      );
    }
    const isConverted = each.kind === 'CustomResourceDefinition' && isOurs(configOf(spec));
    // A conversion cannot have the failure policy `Ignore`. The author may have chosen one replica
    // on purpose, so this is only a warning.
    const where = { object, path: 'spec.conversion' };
    return isConverted ? [{ ...where, level: 'warning', keepsNodes: false }] : [];
  });
}

/** True for the address of a Service that belongs to the installation. */
export function isCallOf(
  installation: Installation,
): (config: ClientConfig | null | undefined) => boolean {
  const services = servicesOf(installation).map(({ metadata }) => metadata.name);
  return (config) =>
    config?.service != null &&
    services.includes(config.service.name ?? '') &&
    (config.service.namespace ?? '') === (installation.namespace ?? '');
}

/**
 * True when the webhook is called for new Pods in kube-system. Conditions and labels of objects are
 * not evaluated.
 */
function isAskedOfSystem({
  rules,
  namespaceSelector,
  objectSelector,
  matchConditions,
}: Asked): boolean {
  const isAboutPods = (rules ?? []).some(
    ({ apiGroups = [], resources = [], operations = [] }) =>
      includesOne(apiGroups, ['', '*']) &&
      includesOne(resources, ['pods', '*', '*/*']) &&
      includesOne(operations, ['CREATE', '*']),
  );
  const isNarrowed =
    (matchConditions ?? []).length > 0 || Object.keys(objectSelector ?? {}).length > 0;
  return isAboutPods && !isNarrowed && isSelected(namespaceSelector ?? {}, SYSTEM);
}

function includesOne(given: readonly string[], wanted: readonly string[]): boolean {
  return wanted.some((each) => given.includes(each));
}

export interface Asked {
  readonly rules?:
    | readonly {
        readonly apiGroups?: readonly string[];
        readonly resources?: readonly string[];
        readonly operations?: readonly string[];
      }[]
    | null;
  readonly namespaceSelector?: LabelSelector | null;
  readonly objectSelector?: LabelSelector | null;
  readonly matchConditions?: readonly object[] | null;
}

export interface ClientConfig {
  readonly service?: { readonly name?: string; readonly namespace?: string } | null;
}

export interface Called {
  readonly webhooks?:
    | readonly (Asked & {
        readonly name?: string;
        readonly clientConfig?: ClientConfig;
        readonly failurePolicy?: string;
      })[]
    | null;
  readonly spec?: { readonly conversion?: Conversion | null } | null;
}

interface Conversion {
  readonly strategy?: string;
  readonly webhook?: { readonly clientConfig?: ClientConfig } | null;
}

function configOf(spec: Called['spec']): ClientConfig | undefined {
  const { strategy, webhook } = spec?.conversion ?? {};
  return strategy === 'Webhook' ? webhook?.clientConfig : undefined;
}

function hasBudget({ objects, labels, namespace }: Installation): boolean {
  return objects.some((object: KubernetesObject) => {
    const { kind, metadata } = object;
    if (kind !== 'PodDisruptionBudget' || (metadata.namespace ?? namespace) !== namespace)
      return false;
    const { spec } = object as { spec?: { selector?: LabelSelector | null } };
    return isSelected(spec?.selector, labels);
  });
}

function isSelected(
  selector: LabelSelector | null | undefined,
  labels: Readonly<Record<string, string>>,
): boolean {
  return selector != null && matchesSelector(selectorFromObject(selector), labels);
}
