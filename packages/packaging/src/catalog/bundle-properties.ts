import { fieldsAt, listAt, textAt, valueAt } from '../bundle-check/fields.ts';
import { deploymentsIn } from '../bundle-check/install.ts';
import { groupOfName, ownedKinds } from '../bundle-check/owned.ts';
import type { CatalogBundle } from './catalog-bundle.ts';

/** A property of a bundle, as a catalog lists it. */
interface Property {
  readonly type: string;
  readonly value: unknown;
}

/** The properties that OLM needs to resolve a bundle and the console needs to show it. */
export function propertiesOf(offered: CatalogBundle): readonly Property[] {
  const { bundle, packageName, versionText } = offered;
  const { fields } = bundle.csv;
  const services = listAt(fields, 'spec', 'apiservicedefinitions', 'owned');
  const provided = [...ownedKinds(bundle), ...services.map(kindOf)];
  const required = [
    ...listAt(fields, 'spec', 'customresourcedefinitions', 'required').map((each) => ({
      group: groupOfName(textAt(each, 'name')),
      version: textAt(each, 'version'),
      kind: textAt(each, 'kind'),
    })),
    ...listAt(fields, 'spec', 'apiservicedefinitions', 'required').map(kindOf),
  ];
  const all: readonly Property[] = [
    ...provided.map((value) => ({ type: 'olm.gvk', value })),
    ...required.map((value) => ({ type: 'olm.gvk.required', value })),
    { type: 'olm.package', value: { packageName, version: versionText } },
    ...[...bundle.properties, ...bundle.dependencies].map(dependency),
    { type: 'olm.csv.metadata', value: shownFields(offered) },
  ];
  // The same property may be in two files.
  return [...new Map(all.map((property) => [JSON.stringify(property), property])).values()];
}

/**
 * Turns a dependency into a property. In `dependencies.yaml`, the types `olm.package` and `olm.gvk`
 * mean that a package or an API is required. As properties, they would mean that the bundle
 * provides it, so properties have other types for this.
 */
function dependency(each: unknown): Property {
  const type = textAt(each, 'type');
  const value = valueAt(each, ['value']);
  if (type === 'olm.gvk') return { type: 'olm.gvk.required', value };
  if (type !== 'olm.package') return { type, value };
  const { packageName, version } = fieldsAt(value);
  return {
    type: 'olm.package.required',
    value: { packageName, versionRange: version },
  };
}

function kindOf(service: unknown): object {
  return {
    group: textAt(service, 'group'),
    version: textAt(service, 'version'),
    kind: textAt(service, 'kind'),
  };
}

/** Fields of the ClusterServiceVersion that are shown before the installation. */
const SHOWN = [
  'apiservicedefinitions',
  'customresourcedefinitions',
  'description',
  'displayName',
  'installModes',
  'keywords',
  'labels',
  'links',
  'maintainers',
  'maturity',
  'minKubeVersion',
  'nativeAPIs',
  'provider',
];

const RENAMED: Readonly<Record<string, string>> = {
  apiservicedefinitions: 'apiServiceDefinitions',
  customresourcedefinitions: 'crdDescriptions',
};

function shownFields({ bundle }: CatalogBundle): object {
  const spec = fieldsAt(bundle.csv.fields, 'spec');
  const annotations = fieldsAt(bundle.csv.fields, 'metadata', 'annotations');
  const shown = SHOWN.flatMap((name) =>
    spec[name] === undefined ? [] : [[RENAMED[name] ?? name, spec[name]] as const],
  );
  return {
    ...(Object.keys(annotations).length > 0 && { annotations }),
    ...Object.fromEntries(shown),
  };
}

/** All images that an installation needs, for mirrors. */
export function relatedImagesOf({ bundle, image }: CatalogBundle): readonly object[] {
  const listed = listAt(bundle.csv.fields, 'spec', 'relatedImages').map((related) => ({
    name: textAt(related, 'name'),
    image: textAt(related, 'image'),
  }));
  const run = deploymentsIn(bundle).flatMap((deployment) =>
    ['initContainers', 'containers'].flatMap((field) =>
      listAt(deployment, 'spec', 'template', 'spec', field).map((container) => ({
        name: '',
        image: textAt(container, 'image'),
      })),
    ),
  );
  const byImage = new Map<string, { readonly name: string; readonly image: string }>();
  for (const each of [...listed, { name: '', image }, ...run]) {
    if (each.image !== '' && !byImage.has(each.image)) byImage.set(each.image, each);
  }
  return [...byImage.values()].sort((a, b) => (a.image < b.image ? -1 : 1));
}
