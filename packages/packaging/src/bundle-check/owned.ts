import type { Bundle, BundleObject } from './bundle.ts';
import { listAt, textAt } from './fields.ts';

/** The group in the name of a CustomResourceDefinition: `example.com` for `things.example.com`. */
export function groupOfName(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}

/** One version of a custom resource. */
export interface ApiVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The custom resources that the ClusterServiceVersion lists as owned. */
export function ownedKinds({ csv: { fields } }: Bundle): readonly ApiVersionKind[] {
  return listAt(fields, 'spec', 'customresourcedefinitions', 'owned').map((owned) => ({
    group: groupOfName(textAt(owned, 'name')),
    version: textAt(owned, 'version'),
    kind: textAt(owned, 'kind'),
  }));
}

/** The CustomResourceDefinitions among the objects of the bundle. */
export function definitionsIn({ objects }: Bundle): readonly BundleObject[] {
  return objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
}

/** The versions of a CustomResourceDefinition, each with its kind. */
export function kindsOf({ fields }: BundleObject): readonly ApiVersionKind[] {
  const [group, kind] = [textAt(fields, 'spec', 'group'), textAt(fields, 'spec', 'names', 'kind')];
  const versions = listAt(fields, 'spec', 'versions').map((each) => textAt(each, 'name'));
  // A definition of v1beta1 may have a single version instead of a list.
  const single = textAt(fields, 'spec', 'version');
  const names = versions.length === 0 && single !== '' ? [single] : versions;
  return names.map((version) => ({ group, version, kind }));
}

export function shown({ group, version, kind }: ApiVersionKind): string {
  return `${kind} of ${group}/${version}`;
}
