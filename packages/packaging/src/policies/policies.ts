import type { KubernetesObject } from 'chancery';
import {
  documents,
  type Generating,
  header,
  type PoliciesOptions,
  type PolicyFiles,
} from 'chancery/internal';
import { children } from './children.ts';
import { declaredRequests } from './declared-requests.ts';
import { eventsAbout } from './events.ts';
import { fieldManagers } from './field-managers.ts';
import { guardPolicies } from './guards.ts';
import { parents } from './parents.ts';
import { bindingObject, type Policy, policyObject } from './policy.ts';
import { type Written, writtenBy } from './written.ts';

/**
 * The policies of an operator with these declarations. Each policy is followed by its binding.
 *
 * @throws ConfigurationError `CONFIG` in the same cases as `accessOf`.
 */
export function policyObjects(
  declared: readonly Generating[],
  options: PoliciesOptions,
): readonly KubernetesObject[] {
  const { name, warns = false } = options;
  return policiesOf(writtenBy(declared, options), options).flatMap((policy) => [
    policyObject(name, policy),
    bindingObject(name, policy, warns),
  ]);
}

/** The same objects as files: `RULE.yaml`, and `RULE-binding.yaml`. */
export function policyFiles(
  declared: readonly Generating[],
  { command, ...options }: PoliciesOptions & { readonly command: string },
): PolicyFiles {
  const { name, warns = false } = options;
  const policies = policiesOf(writtenBy(declared, options), options);
  const files = policies.flatMap((policy) => [
    {
      path: `${policy.rule}.yaml`,
      text: documents(header(command, policy.about), [policyObject(name, policy)]),
    },
    {
      path: `${policy.rule}-binding.yaml`,
      text: documents(header(command), [bindingObject(name, policy, warns)]),
    },
  ]);
  return { files, leftToRbac: policies.flatMap(({ leftToRbac = [] }) => leftToRbac) };
}

function policiesOf(written: Written, { guards = [] }: PoliciesOptions): readonly Policy[] {
  const about = children(written);
  const own = parents(written);
  const judged = new Set([...(about?.leftToRbac ?? []), ...(own?.leftToRbac ?? [])].map(keyIn));
  const unjudged = [...written.free].filter((key) => !judged.has(key)).sort();
  const requests = declaredRequests(written);
  const leftToRbac = unjudged.map(
    (key) => `${key}: declared as a permission, for any object and field`,
  );
  return [
    { ...requests, leftToRbac },
    ...[about, own, fieldManagers(written), eventsAbout(written)].filter(
      (policy) => policy !== undefined,
    ),
    ...guardPolicies(written, guards),
  ];
}

const keyIn = (line: string): string => line.slice(0, line.indexOf(':'));
