import { contradictedKey } from '../../../model/selector.ts';
import type { Problem, Rule } from '../diagnostic.ts';
import { type Called, isCallOf } from './closed-webhooks.ts';

const CONFIGURATION = /^(?:Validating|Mutating)WebhookConfiguration$/;

const SELECTORS = [
  {
    field: 'namespaceSelector',
    what: 'namespace',
    todo: 'change the selector, or generate with --namespace for the namespace that it selects',
  },
  { field: 'objectSelector', what: 'object', todo: 'change the selector' },
] as const;

/** Reports a webhook that is never called, because its selector contradicts itself. */
export const webhookSelectors: Rule = {
  id: 'webhook-selectors',
  check: (installation): readonly Problem[] => {
    const isOurs = isCallOf(installation);
    return installation.objects
      .filter(({ kind }) => CONFIGURATION.test(kind))
      .flatMap((each) => {
        const object = `${each.kind}/${each.metadata.name}`;
        const ours = ((each as Called).webhooks ?? []).filter((one) => isOurs(one.clientConfig));
        return ours.flatMap((webhook) =>
          SELECTORS.flatMap(({ field, what, todo }): readonly Problem[] => {
            const key = contradictedKey(webhook[field] ?? {});
            if (key === undefined) return [];
            return [
              {
                object,
                path: `webhooks[${webhook.name}].${field}`,
                wrong: `selects no ${what}`,
                why: `no value of the label ${key} meets all its requirements, so the webhook is never called`,
                todo,
              },
            ];
          }),
        );
      });
  },
};
