import type { Bundle } from './bundle.ts';
import { type Fields, fieldsAt, listAt, textsAt } from './fields.ts';

/** The Deployments that OLM creates. */
export function deploymentsIn({ csv: { fields } }: Bundle): readonly Fields[] {
  return listAt(fields, 'spec', 'install', 'spec', 'deployments').map((each) => fieldsAt(each));
}

/** A rule of a role, and its path. */
export interface PlacedRule {
  readonly path: string;
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly verbs: readonly string[];
}

/** The rights that OLM grants to the operator. */
export function grantedRules({ csv: { fields } }: Bundle): readonly PlacedRule[] {
  return ['permissions', 'clusterPermissions'].flatMap((field) =>
    listAt(fields, 'spec', 'install', 'spec', field).flatMap((granted, at) =>
      rulesIn(granted, `spec.install.spec.${field}[${at}].rules`),
    ),
  );
}

/** The rules in the field `rules`. */
export function rulesIn(value: unknown, path: string): readonly PlacedRule[] {
  return listAt(value, 'rules').map((rule, at) => ({
    path: `${path}[${at}]`,
    apiGroups: textsAt(rule, 'apiGroups'),
    resources: textsAt(rule, 'resources'),
    resourceNames: textsAt(rule, 'resourceNames'),
    verbs: textsAt(rule, 'verbs'),
  }));
}
