import type { KubernetesObject } from '../../model/object.ts';

const API_VERSION = 'admissionregistration.k8s.io/v1';

/** An expression that is true when only members of a mapping that are in `members` have changed. */
function sameBut(now: string, before: string, members: readonly string[]): string {
  const left = `[${members.map((each) => `'${each}'`).join(', ')}]`;
  return (
    `${now}.all(k, k in ${left} || (k in ${before} && ${now}[k] == ${before}[k])) && ` +
    `${before}.all(k, k in ${now})`
  );
}

/** Metadata that the API server itself writes. */
const SERVER_WRITES = ['generation', 'managedFields', 'resourceVersion'];

const CONVERSION = ['spec', 'conversion', 'webhook', 'clientConfig'];

/**
 * An expression that is true when only the `caBundle` of a definition's conversion webhook changes.
 * It has one condition per level, from `spec` down to `clientConfig`.
 */
function sameConversion(): string {
  return CONVERSION.map((_, depth) => {
    const path = ['', ...CONVERSION.slice(0, depth + 1)].join('.');
    const changes = CONVERSION[depth + 1] ?? 'caBundle';
    return sameBut(`dyn(object)${path}`, `dyn(oldObject)${path}`, [changes]);
  }).join(' &&\n');
}

/**
 * An expression that is true when each webhook differs from the old webhook of the same name only
 * in its bundle.
 */
const SAME_WEBHOOKS = `size(dyn(object).webhooks) == size(dyn(oldObject).webhooks) &&
dyn(object).webhooks.all(w, dyn(oldObject).webhooks.exists(o, o.name == w.name &&
${sameBut('w', 'o', ['clientConfig'])} &&
${sameBut('w.clientConfig', 'o.clientConfig', ['caBundle'])}))`;

const IS_SECRET = "request.resource.resource == 'secrets'";
const IS_DEFINITION = "request.resource.resource == 'customresourcedefinitions'";

const VALIDATIONS = [
  {
    // If the Secret had the type of a ServiceAccount token, the control plane would write the token
    // of an account into it.
    expression: `!(${IS_SECRET}) || (request.operation in ['CREATE', 'UPDATE'] && dyn(object).type == 'Opaque')`,
    message: 'chancery certificates writes a plain Secret',
  },
  {
    expression: `${IS_SECRET} || (request.operation == 'UPDATE' && ${sameBut('dyn(object).metadata', 'dyn(oldObject).metadata', SERVER_WRITES)})`,
    message: 'chancery certificates changes a caBundle, and no metadata',
  },
  {
    expression: `${IS_SECRET} || ${IS_DEFINITION} || (${SAME_WEBHOOKS})`,
    message: 'chancery certificates changes nothing of a webhook but its caBundle',
  },
  {
    expression: `!(${IS_DEFINITION}) || (${sameConversion()})`,
    message: 'chancery certificates changes nothing of a definition but its caBundle',
  },
];

function ruleFor(group: string, ...resources: readonly string[]): object {
  return { apiGroups: [group], apiVersions: ['v1'], operations: ['*'], resources };
}

/**
 * A policy and its binding, which restrict `chancery certificates` to the fields that it maintains.
 * RBAC cannot restrict fields. Without the policy, the right to write a `caBundle` would be the
 * right to redirect every write of the cluster to another server.
 *
 * @param account - the ServiceAccount of `chancery certificates`.
 */
export function certificatesPolicy(account: {
  readonly name: string;
  readonly namespace: string;
}): readonly KubernetesObject[] {
  const { name, namespace } = account;
  const policyName = `${name}.${namespace}`;
  const user = `system:serviceaccount:${namespace}:${name}`;
  const spec = {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        ruleFor(
          'admissionregistration.k8s.io',
          'validatingwebhookconfigurations',
          'mutatingwebhookconfigurations',
        ),
        ruleFor('apiextensions.k8s.io', 'customresourcedefinitions'),
        ruleFor('', 'secrets'),
      ],
    },
    matchConditions: [
      { name: 'by-the-certificates', expression: `request.userInfo.username == "${user}"` },
    ],
    validations: VALIDATIONS.map((each) => ({ ...each, reason: 'Forbidden' })),
  };
  return [
    {
      apiVersion: API_VERSION,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: policyName },
      ...{ spec },
    },
    {
      apiVersion: API_VERSION,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: policyName },
      ...{ spec: { policyName, validationActions: ['Deny'] } },
    },
  ];
}
