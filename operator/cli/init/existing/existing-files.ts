import { textFiles } from '../../../core/text-files.ts';
import { formatYaml } from '../../../core/yaml.ts';
import { isMapping, type Mapping } from '../../../generate/crd-check/schema.ts';
import { kindFiles } from '../../create/kind-files.ts';
import type { NewFile } from '../../new-files.ts';
import { fillTemplate } from '../../template.ts';
import type { ExistingDefinition, ExistingKind } from './existing-kind.ts';
import { sampleValue } from './sample-value.ts';
import { fieldTypes } from './schema-types.ts';

const templates = textFiles(new URL('../templates/', import.meta.url));

/** Types that the file of a kind uses. */
const USED_TYPES = ['KubernetesObject', 'Readonly', 'Record'];

/**
 * The controller of a kind that exists, its test and a sample. With a definition, the definition is copied
 * as it is, and the types follow from it.
 *
 * @param file - the beginning of the names of its files.
 */
export function existingKindFiles(kind: ExistingKind, file: string): readonly NewFile[] {
  const { names, isNamespaced, definition } = kind;
  if (definition === undefined) {
    return kindFiles({ names, isNamespaced, file, owns: [], form: 'controller', folder: 'src' });
  }
  const { group, version, plural, dashed, resource, controller } = names;
  const values = {
    ...{ file, group, version, plural, dashed, resource, controller, kind: names.kind },
    type: USED_TYPES.includes(names.kind) ? `${names.kind}Resource` : names.kind,
    namespaced: String(isNamespaced),
    fields: fieldTypes(definition.schema),
    definition: literal(definition.text),
  };
  const filled = (path: string, from: string): NewFile => ({
    path,
    text: fillTemplate(templates(`${from}.template`), values),
  });
  return [
    filled(`src/${file}.ts`, 'existing'),
    filled(`src/${file}-definition.ts`, 'existing-definition'),
    filled(`src/${file}.test.ts`, 'existing-test'),
    { path: `samples/${file}.yaml`, text: sample(kind, definition) },
  ];
}

function sample({ names }: ExistingKind, { schema }: ExistingDefinition): string {
  const { apiVersion: _, kind: __, metadata: ___, ...fields } = mapping(sampleValue(schema));
  return formatYaml({
    apiVersion: `${names.group}/${names.version}`,
    kind: names.kind,
    metadata: { name: `${names.dashed}-sample` },
    ...fields,
  });
}

function mapping(value: unknown): Mapping {
  return isMapping(value) ? value : {};
}

/** As JSON, which is TypeScript but for one key: written plainly it would set the prototype. */
function literal(value: Mapping): string {
  return JSON.stringify(value, undefined, 2).replaceAll(
    /^( *)"__proto__": /gm,
    '$1["__proto__"]: ',
  );
}
