import { isDnsSubdomain } from 'chancery/internal';
import type { Bundle } from '../bundle.ts';
import type { BundleProblem, BundleRule } from '../bundle-finding.ts';
import { listAt, textAt, textsAt } from '../fields.ts';
import { deploymentsIn } from '../install.ts';

const PATH = 'spec.webhookdefinitions';

interface Webhook {
  readonly path: string;
  readonly type: string;
  readonly name: string;
  readonly deployment: string;
  readonly converts: readonly string[];
  readonly fields: unknown;
}

/** Names of Deployments must be valid, because they become names of objects. */
export const deploymentNames: BundleRule = {
  id: 'deployment-name',
  check(bundle) {
    const found = deploymentsIn(bundle).map((each) => textAt(each, 'name'));
    return found.flatMap((name, at): readonly BundleProblem[] => {
      const path = `spec.install.spec.deployments[${at}].name`;
      if (!isDnsSubdomain(name)) {
        const wrong = `is ${JSON.stringify(name)}, which cannot be the name of a Deployment`;
        return [{ path, wrong, todo: 'write a-z, 0-9, "-" and "."' }];
      }
      if (found.indexOf(name) === at) return [];
      return [{ path, wrong: `is ${name} for the second time`, todo: 'give each its own name' }];
    });
  },
};

/** OLM must be able to connect each webhook with a Deployment of the bundle. */
export const webhooks: BundleRule = {
  id: 'webhook',
  check(bundle) {
    const all = webhooksIn(bundle);
    const deployments = deploymentsIn(bundle).map((each) => textAt(each, 'name'));
    return [
      ...all.flatMap((webhook, at) => nameProblems(webhook, all.slice(0, at))),
      ...all
        .filter(({ deployment }) => !deployments.includes(deployment))
        .map(({ path, deployment }) => ({
          path: `${path}.deploymentName`,
          wrong: `is ${JSON.stringify(deployment)}, and the bundle has no such Deployment`,
          todo: 'name one of spec.install.spec.deployments',
        })),
      ...conversionProblems(bundle, all),
      ...all.flatMap(scopeProblems),
    ];
  },
};

function nameProblems(
  { path, type, name }: Webhook,
  before: readonly Webhook[],
): readonly BundleProblem[] {
  const at = `${path}.generateName`;
  if (!isDnsSubdomain(name)) {
    const wrong = `is ${JSON.stringify(name)}, which cannot be the name of a webhook`;
    return [{ path: at, wrong, todo: 'write a-z, 0-9, "-" and "."' }];
  }
  if (!before.some((other) => other.type === type && other.name === name)) return [];
  return [{ path: at, wrong: `is ${name} for the second time`, todo: 'give each its own name' }];
}

function conversionProblems(bundle: Bundle, all: readonly Webhook[]): readonly BundleProblem[] {
  const owned = listAt(bundle.csv.fields, 'spec', 'customresourcedefinitions', 'owned').map(
    (each) => textAt(each, 'name'),
  );
  const converted = new Set<string>();
  return all.flatMap(({ path, converts }) =>
    converts.flatMap((name) => {
      const at = `${path}.conversionCRDs`;
      const problems: BundleProblem[] = [];
      if (!owned.includes(name)) {
        const wrong = `names ${name}, which the bundle does not own`;
        problems.push({ path: at, wrong, todo: 'convert only definitions of the bundle' });
      }
      if (converted.has(name)) {
        const wrong = `names ${name}, which another webhook converts already`;
        problems.push({ path: at, wrong, todo: 'let one webhook convert it' });
      }
      converted.add(name);
      return problems;
    }),
  );
}

const OWN_GUARDS = ['mutatingwebhookconfiguration', 'validatingwebhookconfiguration'];

/**
 * Reports webhooks for their own configuration or for OLM. If such a webhook is broken, users
 * cannot remove it or the extension.
 */
function scopeProblems({ path, type, fields }: Webhook): readonly BundleProblem[] {
  if (type === 'ConversionWebhook') return [];
  return listAt(fields, 'rules').flatMap((rule, at) => {
    const groups = textsAt(rule, 'apiGroups').filter((group) =>
      ['*', 'olm.operatorframework.io'].includes(group),
    );
    const guards = textsAt(rule, 'apiGroups').includes('admissionregistration.k8s.io')
      ? textsAt(rule, 'resources').filter(
          (name) => name === '*' || OWN_GUARDS.includes(name.toLowerCase().replace(/s$/, '')),
        )
      : [];
    return [...groups.map((group) => `the group ${group}`), ...guards].map((what) => ({
      path: `${path}.rules[${at}]`,
      wrong: `asks the webhook about ${what}, so that a broken webhook could not be removed any more`,
      todo: 'name only the groups of your own objects',
    }));
  });
}

function webhooksIn({ csv }: Bundle): readonly Webhook[] {
  return listAt(csv.fields, 'spec', 'webhookdefinitions').map((fields, at) => ({
    path: `${PATH}[${at}]`,
    type: textAt(fields, 'type'),
    name: textAt(fields, 'generateName'),
    deployment: textAt(fields, 'deploymentName'),
    converts: textsAt(fields, 'conversionCRDs'),
    fields,
  }));
}
