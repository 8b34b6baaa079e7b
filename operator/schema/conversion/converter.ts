import { messageOf } from '../../core/errors.ts';
import { goJson } from '../../core/go/go-json.ts';
import type { Mapping } from '../../core/mapping.ts';
import { boundedText, visibleText } from '../../core/text/visible-text.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { StructuralSchema } from '../../model/structural-schema.ts';
import { applyDefaults, prune } from '../validation/stored-form.ts';
import { callFunction, failure, fieldsOf } from './call-function.ts';
import type { Conversion } from './conversion.ts';
import { keptAnnotation, keptFrom, keptText } from './kept-annotation.ts';
import { type KeptField, keptFields } from './kept-fields.ts';
import { withKept } from './restored-fields.ts';
import { type ConversionStep, stepsBetween } from './version-steps.ts';

/** A resource whose conversions connect every version with every other version. */
interface ConvertedResource {
  readonly group: string;
  readonly kind: string;
  /** The name of the definition, such as `websites.example.dev`. */
  readonly name: string;
  /** The schemas, keyed by the name of the version. */
  readonly schemas: ReadonlyMap<string, StructuralSchema>;
  readonly conversions: readonly Conversion[];
}

/**
 * Converts `object` to another version of its resource. The result is `object` itself if it already has that
 * version.
 *
 * @param version - the name of the version, such as `v1`.
 * @throws OperatorError `USER_CODE` when a function throws, or returns an invalid result. The message
 *   contains the versions and the name of the object, but none of its data.
 */
export function converted(
  object: KubernetesObject,
  version: string,
  resource: ConvertedResource,
): KubernetesObject {
  const { name, conversions } = resource;
  const from = versionOf(object, resource);
  if (!resource.schemas.has(version)) throw failure(`${name} has no version ${shown(version)}`);
  return stepsBetween(conversions, from, version).reduce(
    (before, step) => neighbour(before, step, resource),
    object,
  );
}

function versionOf(
  object: KubernetesObject,
  { group, kind, name, schemas }: ConvertedResource,
): string {
  const version = [...schemas.keys()].find((each) => object.apiVersion === `${group}/${each}`);
  if (version !== undefined && object.kind === kind) return version;
  const given = shown(`${object.apiVersion} ${object.kind}`);
  throw failure(`${given} is no version and kind of ${name}`);
}

function neighbour(
  object: KubernetesObject,
  { from, to, there, back }: ConversionStep,
  resource: ConvertedResource,
): KubernetesObject {
  const { group, name, schemas } = resource;
  const about = `${from} → ${to} of ${name} ${nameOf(object)}`;
  const apiVersions = [`${group}/${from}`, `${group}/${to}`];
  const notes = annotationsOf(object, resource);
  const plain = { ...object, metadata: withAnnotations(object.metadata, notes.others) };
  const made = callFunction(there, plain, { about, apiVersions });
  const result = {
    ...{ apiVersion: `${group}/${to}`, kind: object.kind, metadata: made.metadata },
    ...withKept(made.fields, keptFrom(notes.kept.get(to))),
  };
  const kept = lost(object, result, { schema: schemas.get(from), seen: schemas.get(to) }, (sent) =>
    callFunction(back, sent, { about: `${about}, and back`, apiVersions }),
  );
  return { ...result, metadata: metadataOf(made.metadata, { from, to, notes, kept, about }) };
}

/**
 * The fields of `object` that cannot be restored from `result`. Two variants of `result` are converted back:
 * `result` itself, and `result` as the API server would store it, without unknown fields and with defaults. A
 * field may be restored from one variant but not from the other.
 */
function lost(
  object: KubernetesObject,
  result: KubernetesObject,
  {
    schema = {},
    seen = {},
  }: { readonly schema: StructuralSchema | undefined; readonly seen: StructuralSchema | undefined },
  back: (sent: KubernetesObject) => { readonly fields: Mapping },
): readonly KeptField[] {
  const known = prune(result, seen);
  const filled = applyDefaults(known, seen);
  const original = fieldsOf(object);
  const isPruned = prune(original, schema) === original;
  const entries = (filled === known ? [known] : [known, filled]).flatMap((sent) => {
    const { fields } = back(sent as KubernetesObject);
    return keptFields(original, isPruned ? (prune(fields, schema) as Mapping) : fields, schema);
  });
  return [...new Map(entries.map((entry) => [goJson(entry), entry])).values()];
}

/**
 * The annotations of an object, divided into annotations that store the fields which a version cannot
 * express, and all other annotations.
 */
interface Notes {
  /** The annotations that store the fields which a version cannot express, keyed by version. */
  readonly kept: ReadonlyMap<string, string>;
  readonly others: Readonly<Record<string, string>>;
}

function annotationsOf({ metadata }: KubernetesObject, { schemas }: ConvertedResource): Notes {
  const versions = new Map([...schemas.keys()].map((each) => [keptAnnotation(each), each]));
  const all = Object.entries(metadata.annotations ?? {});
  return {
    kept: new Map(
      all.flatMap(([name, text]) => {
        const version = versions.get(name);
        return version === undefined ? [] : [[version, text] as const];
      }),
    ),
    others: Object.fromEntries(all.filter(([name]) => !versions.has(name))),
  };
}

/**
 * The metadata of the result. The annotation with fields of the version `to` is removed, because the result
 * has these fields again. The fields in `kept`, which the version `to` lacks, are stored in an annotation.
 */
function metadataOf(
  metadata: KubernetesObject['metadata'],
  {
    from,
    to,
    notes,
    kept,
    about,
  }: {
    readonly from: string;
    readonly to: string;
    readonly notes: Notes;
    readonly kept: readonly KeptField[];
    readonly about: string;
  },
): KubernetesObject['metadata'] {
  const carried = [...notes.kept].filter(([version]) => version !== from && version !== to);
  const texts = [
    ...carried,
    ...(kept.length === 0 ? [] : [[from, textOf(kept, about)] as const]),
  ].map(([version, text]) => [keptAnnotation(version), text] as const);
  return withAnnotations(metadata, { ...metadata.annotations, ...Object.fromEntries(texts) });
}

function textOf(kept: readonly KeptField[], about: string): string {
  try {
    return keptText(kept);
  } catch (error) {
    throw failure(`${about}: the fields that only the former has ${messageOf(error)}`, error);
  }
}

function withAnnotations(
  { annotations: _annotations, ...metadata }: KubernetesObject['metadata'],
  annotations: Readonly<Record<string, string>>,
): KubernetesObject['metadata'] {
  return Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations };
}

/** Maximum number of characters of a name in a message. */
const NAME_CHARS = 600;

function nameOf({ metadata }: KubernetesObject): string {
  const { namespace, name, generateName } = metadata;
  const own = name || (generateName ? `${generateName}…` : 'without a name');
  return shown(namespace ? `${namespace}/${own}` : own);
}

function shown(text: string): string {
  return visibleText(boundedText(text, NAME_CHARS));
}
