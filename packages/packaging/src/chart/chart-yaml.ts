import type { CustomResourceDefinition, OperatorModel } from 'chancery/internal';
import { formatYaml } from 'chancery/low-level';
import type { PackageMetadata } from '../metadata.ts';

/** The oldest Kubernetes with `preStop.sleep`, which every Deployment of the toolkit uses. */
const OLDEST_KUBERNETES = '1.30.0';

/** The text of `Chart.yaml` without the comment at its beginning. */
export function chartYaml(model: OperatorModel, metadata: PackageMetadata): string {
  const { name } = model.options;
  const { version, maintainers = [], keywords = [], minKubeVersion } = metadata;
  return formatYaml({
    apiVersion: 'v2',
    name,
    description: descriptionOf(model, metadata),
    type: 'application',
    version,
    appVersion: version,
    // The suffix `-0` includes prereleases, because for Helm, versions such as v1.31.2-eks-1 are
    // prereleases.
    kubeVersion: `>=${minKubeVersion ?? OLDEST_KUBERNETES}-0`,
    ...(keywords.length > 0 && { keywords }),
    ...(metadata.homepage !== undefined && { home: metadata.homepage }),
    ...(metadata.repository !== undefined && { sources: [metadata.repository] }),
    ...(maintainers.length > 0 && { maintainers }),
    ...iconOf(metadata),
    annotations: artifactHubAnnotations(model, metadata),
  });
}

/** The description of the operator in one sentence. */
export function descriptionOf(
  { options }: OperatorModel,
  { description }: PackageMetadata,
): string {
  return description ?? `The operator ${options.name}.`;
}

/** The name of the operator as people read it, such as in the README. */
export function displayNameOf(
  { options }: OperatorModel,
  { displayName }: PackageMetadata,
): string {
  return displayName ?? options.name;
}

function iconOf({ icon }: PackageMetadata): { readonly icon?: string } {
  if (icon === undefined) return {};
  return { icon: `data:${icon.mediatype};base64,${icon.base64data}` };
}

/** The annotations for Artifact Hub. All values are strings; a list is YAML in a string. */
function artifactHubAnnotations(
  model: OperatorModel,
  metadata: PackageMetadata,
): Readonly<Record<string, string>> {
  const { maintainers = [], links = [], version } = metadata;
  const known = maintainers.filter(({ email }) => email !== undefined);
  const list = (items: readonly object[]): string => formatYaml(items);
  return prefixed({
    alternativeName: metadata.displayName,
    category: metadata.artifactHubCategory,
    crds: model.definitions.length > 0 ? list(model.definitions.flatMap(shownVersions)) : undefined,
    images: list(shownImages(model)),
    license: metadata.license,
    links: links.length > 0 ? list(links) : undefined,
    maintainers:
      known.length > 0 ? list(known.map(({ name, email }) => ({ name, email }))) : undefined,
    operator: 'true',
    operatorCapabilities: metadata.capabilities,
    prerelease: version.includes('-') ? 'true' : undefined,
  });
}

function prefixed(
  annotations: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(annotations).flatMap(([name, value]) =>
      value === undefined ? [] : [[`artifacthub.io/${name}`, value]],
    ),
  );
}

/** The served versions of a definition, as Artifact Hub shows them. */
function shownVersions({ metadata, spec }: CustomResourceDefinition): readonly object[] {
  const { kind } = spec.names;
  return spec.versions
    .filter(({ served }) => served)
    .map(({ name, schema }) => ({
      kind,
      version: name,
      name: metadata.name,
      displayName: kind,
      description: schemaDescription(schema) ?? `${kind}, which the operator works on.`,
    }));
}

function schemaDescription(schema: unknown): string | undefined {
  const known = schema as
    | { readonly openAPIV3Schema?: { readonly description?: string } }
    | undefined;
  return known?.openAPIV3Schema?.description;
}

function shownImages({ deployment }: OperatorModel): readonly object[] {
  return deployment.spec.template.spec.containers.map(({ name, image }) => ({ name, image }));
}
