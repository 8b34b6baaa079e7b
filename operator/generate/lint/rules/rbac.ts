import type { PolicyRule } from '../../../model/kubernetes/rbac-v1.ts';
import type { Problem, Rule } from '../diagnostic.ts';
import type { Installation } from '../installation.ts';
import { grantsOf, isOwnAccount } from '../rights-and-paths.ts';

export const bound: Rule = {
  id: 'rbac-bound',
  check: (installation): readonly Problem[] => {
    const grants = grantsOf(installation);
    const { serviceAccountName = 'default' } = installation.pod;
    if (grants.length === 0) {
      return [
        {
          level: 'warning',
          path: 'serviceAccountName',
          wrong: `no RoleBinding here has ServiceAccount ${serviceAccountName} of this namespace`,
          why: 'it has no right, or its rights were not compared with the filter',
          todo: 'render the RBAC along, and see that the subject names the namespace of the Pod',
        },
      ];
    }
    return grants
      .filter(({ rules }) => rules === undefined)
      .map(({ binding, role }) => ({
        level: 'warning',
        object: binding,
        path: 'roleRef',
        wrong: `${role} is not here`,
        why: 'its rules were not compared with the filter',
        todo: 'render it along; of the ready-made roles, `view` reads everything in a namespace',
      }));
  },
};

export const subjects: Rule = {
  id: 'rbac-subjects',
  check: (installation) =>
    grantsOf(installation).flatMap(({ binding, subjects: all }) =>
      all
        .map((subject, at) => ({ subject, at }))
        .filter(({ subject }) => !isOwnAccount(subject, installation))
        .map(({ subject, at }) => ({
          object: binding,
          path: `subjects[${at}]`,
          wrong: `is ${subject.kind} ${subject.name}`,
          why: 'these rights are made for one Pod, whose filter stands before them',
          todo: 'bind the ServiceAccount of the operator only',
        })),
    ),
};

interface Refusal {
  readonly id: string;
  readonly level?: 'warning';
  readonly why: string;
  readonly todo: string;
  /** The words of an RBAC rule that are refused. Empty when the rule is accepted. */
  found(rule: PolicyRule): readonly string[];
}

const FIELDS = ['verbs', 'apiGroups', 'resources', 'nonResourceURLs'] as const;

/** Subresources that open a tunnel, run a program or issue a token. */
const TUNNELS: readonly (readonly [group: string, resource: string])[] = [
  ['', 'pods/exec'],
  ['', 'pods/attach'],
  ['', 'pods/portforward'],
  ['', 'pods/proxy'],
  ['', 'pods/ephemeralcontainers'],
  ['', 'services/proxy'],
  ['', 'nodes/proxy'],
  ['', 'serviceaccounts/token'],
];

/** Rights that an operator must not have, or that need a reason. */
export const REFUSALS: readonly Refusal[] = [
  {
    id: 'rbac-no-wildcards',
    why: 'it grants what will be invented later as well',
    todo: 'write out what the controllers declare: `chancery generate rbac`',
    found: (rule) => FIELDS.filter((field) => rule[field]?.some((word) => word.includes('*'))),
  },
  {
    id: 'rbac-no-escalation',
    why: 'with it the operator can have every right that somebody has',
    todo: 'leave it out',
    found: ({ verbs, resourceNames = [] }) =>
      verbs.filter(
        (verb) =>
          ['impersonate', 'escalate'].includes(verb) ||
          (verb === 'bind' && resourceNames.length === 0),
      ),
  },
  {
    id: 'rbac-bind',
    level: 'warning',
    why: 'the operator can give every right of the named roles to anybody, and to itself',
    todo: 'look at the rules of these roles, and name no role that you would not give to the operator',
    found: ({ verbs, resourceNames = [] }) =>
      resourceNames.length > 0 ? verbs.filter((verb) => verb === 'bind') : [],
  },
  {
    id: 'rbac-no-tunnels',
    why: 'past it nothing is filtered, and the ambassador refuses it whatever is accepted',
    todo: 'leave it out',
    found: ({ apiGroups, resources }) =>
      TUNNELS.filter(
        ([group, resource]) => apiGroups?.includes(group) && resources?.includes(resource),
      ).map(([, resource]) => resource),
  },
  {
    id: 'rbac-secrets',
    level: 'warning',
    why: 'every token, key and password of the namespace is open to the code of the operator',
    todo: 'name the Secrets with resourceNames, or leave it out if no controller declares it',
    found: ({ apiGroups, resources, resourceNames = [] }) =>
      apiGroups?.includes('') && resources?.includes('secrets') && resourceNames.length === 0
        ? ['secrets']
        : [],
  },
];

/** One lint rule per kind of right that an operator must not have. */
export const REFUSED_RIGHTS: readonly Rule[] = REFUSALS.map(({ id, found, ...refusal }) => ({
  id,
  check: (installation) => refusedRights(installation, found, refusal),
}));

function refusedRights(
  installation: Installation,
  found: Refusal['found'],
  { level, why, todo }: Omit<Refusal, 'id' | 'found'>,
): readonly Problem[] {
  return grantsOf(installation).flatMap(({ role, rules = [] }) =>
    rules.flatMap((rule, at) =>
      found(rule).map((word) => ({
        ...(level !== undefined && { level }),
        object: role,
        path: `rules[${at}]`,
        wrong: `grants ${(FIELDS as readonly string[]).includes(word) ? `* in ${word}` : word}`,
        why,
        todo,
      })),
    ),
  );
}
