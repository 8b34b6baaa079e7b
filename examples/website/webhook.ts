import { deny, validatingWebhook } from 'chancery';
import { websites } from './definition.ts';

/** How many replicas the Websites of a namespace have together. */
const BUDGET = 20;

/** A rule of the schema sees one Website. This one needs the others, which the operator has in its cache. */
export const budget = validatingWebhook({
  name: 'budget.websites.example.dev',
  resource: websites,
  reads: [websites],
  validate({ object, oldObject, name, namespace }, { store }) {
    const { replicas } = object.spec;
    // A namespace may be above its budget: the rule may be new, or no replica may have answered.
    if (oldObject !== undefined && replicas <= oldObject.spec.replicas) return;
    const taken = store(websites)
      .list()
      .filter(({ metadata }) => metadata.namespace === namespace && metadata.name !== name)
      .reduce((sum, { spec }) => sum + spec.replicas, 0);
    if (taken + replicas <= BUDGET) return;
    const message = `the namespace may have ${BUDGET} replicas, and its other Websites have ${taken}`;
    return deny(message, { field: 'spec.replicas' });
  },
});
