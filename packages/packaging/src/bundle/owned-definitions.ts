import type { CustomResourceDefinition, DefinitionVersion, OperatorModel } from 'chancery/internal';
import { isController } from 'chancery/low-level';
import { type Descriptor, specDescriptors, statusDescriptors } from './descriptors.ts';
import { spacedWords } from './words.ts';

/** A served version of a definition, as a ClusterServiceVersion lists it. */
interface OwnedDefinition {
  readonly name: string;
  readonly version: string;
  readonly kind: string;
  readonly displayName: string;
  readonly description: string;
  readonly resources?: readonly object[];
  readonly specDescriptors?: readonly Descriptor[];
  readonly statusDescriptors?: readonly Descriptor[];
}

/** All served versions of the definitions, with the descriptions of their fields for consoles. */
export function ownedDefinitions(model: OperatorModel): readonly OwnedDefinition[] {
  return model.definitions.flatMap((definition) =>
    definition.spec.versions
      .filter(({ served }) => served)
      .map((version) => owned(model, definition, version)),
  );
}

function owned(
  model: OperatorModel,
  { metadata, spec: { group, names } }: CustomResourceDefinition,
  version: DefinitionVersion,
): OwnedDefinition {
  const schema = version.schema.openAPIV3Schema;
  const resources = createdFor(model, group, names.kind);
  const ofSpec = specDescriptors(version);
  const ofStatus = statusDescriptors(version);
  const displayName = spacedWords(names.kind);
  return {
    name: metadata.name,
    version: version.name,
    kind: names.kind,
    displayName,
    description: schema.description ?? `${displayName}: ${names.plural} of the group ${group}`,
    ...(resources.length > 0 && { resources }),
    ...(ofSpec.length > 0 && { specDescriptors: ofSpec }),
    ...(ofStatus.length > 0 && { statusDescriptors: ofStatus }),
  };
}

/** The kinds of objects that the operator creates for an object of the given kind. */
function createdFor(
  { access: { declared } }: OperatorModel,
  group: string,
  kind: string,
): readonly { readonly kind: string; readonly name: string; readonly version: string }[] {
  const created = declared.flatMap((each) => {
    if (!isController(each)) return [];
    const { resource } = each.for;
    return resource.group === group && resource.kind === kind ? each.owns : [];
  });
  const kinds = created.map(({ source: { resource } }) => ({
    kind: resource.kind,
    name: '',
    version: resource.version,
  }));
  const distinct = new Map(kinds.map((each) => [`${each.kind}/${each.version}`, each]));
  return [...distinct.values()].toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
}
