import type { KubernetesObject } from '../../../model/object.ts';
import {
  type LabelSelector,
  matchesSelector,
  selectorFromObject,
} from '../../../model/selector.ts';
import type { Problem, Rule } from '../diagnostic.ts';
import type { Installation } from '../installation.ts';
import { servicesOf } from './gate.ts';

/** A webhook whose requests are refused while no Pod of the installation answers. */
interface ClosedWebhook {
  readonly level: 'error' | 'warning';
  readonly object: string;
  readonly path: string;
}

export const closedWebhooks: Rule = {
  id: 'closed-webhooks',
  check: (installation): readonly Problem[] => {
    const { replicas } = installation;
    if (replicas === undefined) return [];
    const why = 'writes are refused while that Pod starts anew, or moves to another node';
    const isBudgeted = hasBudget(installation);
    return closedIn(installation).flatMap((where): readonly Problem[] => {
      if (replicas < 2) {
        const wrong = `refuses requests that nobody answers, with ${replicas === 1 ? 'one replica' : 'no replica'}`;
        const todo = 'use the component high-availability, or failurePolicy Ignore';
        return [{ ...where, wrong, why, todo }];
      }
      if (isBudgeted) return [];
      const wrong =
        'refuses requests that nobody answers, and no PodDisruptionBudget keeps a replica';
      const todo = 'use the component high-availability, which has one';
      return [{ ...where, wrong, why: 'draining nodes may take all Pods at once', todo }];
    });
  },
};

function closedIn(installation: Installation): readonly ClosedWebhook[] {
  const services = servicesOf(installation).map(({ metadata }) => metadata.name);
  const isOurs = (config: ClientConfig | null | undefined): boolean =>
    config?.service != null &&
    services.includes(config.service.name ?? '') &&
    (config.service.namespace ?? '') === (installation.namespace ?? '');
  return installation.objects.flatMap((each): readonly ClosedWebhook[] => {
    const object = `${each.kind}/${each.metadata.name}`;
    const { webhooks, spec } = each as Called;
    if (/^(?:Validating|Mutating)WebhookConfiguration$/.test(each.kind)) {
      // Left out, the API server takes it for Fail.
      return (webhooks ?? []).flatMap(({ name, clientConfig, failurePolicy = 'Fail' }) =>
        failurePolicy === 'Fail' && isOurs(clientConfig)
          ? [{ level: 'error', object, path: `webhooks[${name}].failurePolicy` }]
          : [],
      );
    }
    const isConverted = each.kind === 'CustomResourceDefinition' && isOurs(configOf(spec));
    // Nobody can choose what happens to a conversion: one replica may be meant.
    return isConverted ? [{ level: 'warning', object, path: 'spec.conversion' }] : [];
  });
}

interface ClientConfig {
  readonly service?: { readonly name?: string; readonly namespace?: string } | null;
}

interface Called {
  readonly webhooks?:
    | readonly {
        readonly name?: string;
        readonly clientConfig?: ClientConfig;
        readonly failurePolicy?: string;
      }[]
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
