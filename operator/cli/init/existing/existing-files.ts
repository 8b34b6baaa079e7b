import { isMapping } from '../../../core/mapping.ts';
import { textFiles } from '../../../core/text/text-files.ts';
import { boundedText } from '../../../core/text/visible-text.ts';
import { formatYaml } from '../../../core/yaml.ts';
import { sampleObject } from '../../../schema/samples/sample-object.ts';
import { kindFiles } from '../../create/kind-files.ts';
import { kindFrom } from '../../create/names.ts';
import type { NewFile } from '../../files/new-files.ts';
import { fillTemplate } from '../../files/template.ts';
import type { ExistingKind } from './existing-kind.ts';
import type { FileOf } from './existing-names.ts';
import { fieldTypes } from './schema-types.ts';
import { jsonLiteral, textLiteral } from './text-literal.ts';

const templates = textFiles(new URL('../templates/', import.meta.url));

/** Names of types that the file of a kind already uses. */
const USED_TYPES = ['KubernetesObject', 'Readonly', 'Record'];

/** Maximum number of characters of the reason for skipping a test. */
const REASON_CHARS = 300;

/** The files of an existing kind, and instructions for its author. */
export interface ExistingFiles {
  readonly files: readonly NewFile[];
  readonly notes: readonly string[];
}

/**
 * The controller of an existing kind, its test and a sample. A definition is copied unchanged, and
 * the types follow from it. If no sample was found that the schema allows, there is no test until
 * the author has completed the sample.
 */
export function existingKindFiles(kind: FileOf<ExistingKind>): ExistingFiles {
  const { names, isNamespaced, definition, file } = kind;
  if (definition === undefined) {
    const form = 'controller';
    return {
      files: kindFiles({ names, isNamespaced, file, owns: [], form, folder: 'src' }),
      notes: [],
    };
  }
  const { group, version, plural, dashed, resource, controller } = names;
  const { object, problems } = sampleObject(
    { apiVersion: `${group}/${version}`, kind: names.kind, name: `${dashed}-sample` },
    definition.schema,
  );
  const path = `samples/${file}.yaml`;
  const [problem] = problems;
  const reason = definition.isConverted
    ? 'a test needs the address of the webhook that converts: webhookServices'
    : problem && todo(path, problem, REASON_CHARS);
  const values = {
    ...{ file, group, version, plural, dashed, resource, controller, kind: names.kind },
    type: typeOf(names.kind),
    namespaced: String(isNamespaced),
    fields: fieldTypes(definition.schema),
    definition: jsonLiteral(definition.text),
    options: reason === undefined ? '' : `{ skip: ${textLiteral(reason)} }, `,
  };
  const filled = (target: string, from: string): NewFile => ({
    path: target,
    text: fillTemplate(templates(`${from}.template`), values),
  });
  return {
    files: [
      filled(`src/${file}.ts`, 'existing'),
      filled(`src/${file}-definition.ts`, 'existing-definition'),
      filled(`src/${file}.test.ts`, 'existing-test'),
      { path, text: formatYaml(object) },
    ],
    notes: [
      ...(problem === undefined
        ? []
        : [`${todo(path, problem, 600)}; then take "skip" out of src/${file}.test.ts`]),
      ...(hasRules(definition.schema)
        ? [`${path} was not checked by the CEL rules of its definition: npm test does`]
        : []),
    ],
  };
}

function todo(path: string, problem: string, chars: number): string {
  return `complete ${path}: ${boundedText(problem, chars)}`;
}

/** True when the schema has CEL rules, which only an API server evaluates. */
function hasRules(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasRules);
  if (!isMapping(schema)) return false;
  const { 'x-kubernetes-validations': rules, default: _, enum: __, ...others } = schema;
  return (Array.isArray(rules) && rules.length > 0) || Object.values(others).some(hasRules);
}

/** The name of the type for a kind, which need not be in CamelCase. */
function typeOf(kind: string): string {
  const type = kindFrom(kind);
  return USED_TYPES.includes(type) ? `${type}Resource` : type;
}
