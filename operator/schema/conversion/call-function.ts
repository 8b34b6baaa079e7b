import { messageOf, OperatorError } from '../../core/errors.ts';
import { isMapping, type Mapping } from '../../core/mapping.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { OBJECT_FIELDS } from '../../model/structural-schema.ts';
import { jsonEquals } from '../validation/json-equality.ts';
import { jsonCopy, NotJsonError } from './json-data.ts';

/** The result of a conversion for one object. */
interface Made {
  /** All fields except apiVersion, kind and metadata. */
  readonly fields: Mapping;
  /** The metadata of the object, with the labels and annotations that the function returned. */
  readonly metadata: KubernetesObject['metadata'];
}

/**
 * Calls a function of a conversion with a copy of `object`.
 *
 * @param about - the versions and the object, in the words of an error message.
 * @param apiVersions - the values that the result may have as apiVersion.
 * @throws OperatorError `USER_CODE` when the function throws, or returns anything other than an
 * object with the same identity as `object`.
 */
export function callFunction(
  convert: (object: never) => unknown,
  object: KubernetesObject,
  { about, apiVersions }: { readonly about: string; readonly apiVersions: readonly string[] },
): Made {
  const by = 'the function';
  return madeOf(called(convert, object, about), object, { about, apiVersions, by });
}

/**
 * Checks the result `given` that a function or a program returned for `object`.
 *
 * @param about - the versions and the object, in the words of an error message.
 * @param apiVersions - the values that the result may have as apiVersion.
 * @param by - what made the result, in the words of an error message: `the function`.
 * @throws OperatorError `USER_CODE` when the result is not an object with the same identity as
 * `object`.
 */
export function madeOf(
  given: unknown,
  object: KubernetesObject,
  {
    about,
    apiVersions,
    by,
  }: { readonly about: string; readonly apiVersions: readonly string[]; readonly by: string },
): Made {
  const result = copied(given, about, by);
  const { apiVersion = object.apiVersion, kind = object.kind, metadata = {} } = result;
  if (kind !== object.kind || !apiVersions.includes(String(apiVersion))) {
    throw failure(`${about}: ${by} returned an object of another kind`);
  }
  if (!isMapping(metadata)) throw failure(`${about}: ${by} returned metadata that is no object`);
  const changed = metadataOf(metadata, object.metadata, `${about}: ${by}`);
  return { fields: fieldsOf(result), metadata: changed };
}

/** The fields of an object except apiVersion, kind and metadata. */
export function fieldsOf(object: object): Mapping {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !OBJECT_FIELDS.has(name)));
}

/** The error of a conversion. Its message reaches users of kubectl, so it contains no data of an object. */
export function failure(message: string, cause?: unknown): OperatorError {
  const options = { code: 'USER_CODE', layer: 'user-code' } as const;
  return new OperatorError(message, cause === undefined ? options : { ...options, cause });
}

function called(
  convert: (object: never) => unknown,
  object: KubernetesObject,
  about: string,
): unknown {
  let result: unknown;
  try {
    result = convert(jsonCopy(object) as never);
  } catch (error) {
    // The message of the thrown error may quote the object, so only its name is used.
    const what = error instanceof Error ? error.name : 'a value that is no Error';
    throw failure(`${about}: the function threw ${what}: the operator's log has the cause`, error);
  }
  if (!(result instanceof Promise)) return result;
  result.catch(() => {}); // the result is not used
  throw failure(`${about}: the function returned a promise: a conversion is synchronous`);
}

function copied(result: unknown, about: string, by: string): Mapping {
  if (!isMapping(result)) throw failure(`${about}: ${by} returned no object`);
  try {
    return jsonCopy(result) as Mapping;
  } catch (error) {
    if (!(error instanceof NotJsonError))
      throw failure(`${about}: the result cannot be read`, error);
    throw failure(`${about}: the result ${messageOf(error)}`, error);
  }
}

/** The only members of the metadata that a conversion may change. */
const TEXTS: readonly string[] = ['labels', 'annotations'];

function metadataOf(
  changed: Mapping,
  metadata: KubernetesObject['metadata'],
  about: string,
): KubernetesObject['metadata'] {
  const original: Mapping = { ...metadata };
  for (const [field, value] of Object.entries(changed)) {
    if (TEXTS.includes(field) ? isTexts(value) : jsonEquals(value, original[field])) continue;
    const problem = TEXTS.includes(field) ? 'are no texts' : 'may not change';
    const known = Object.hasOwn(original, field) || TEXTS.includes(field) ? field : 'a new field';
    throw failure(`${about} changes metadata: ${known} ${problem}`);
  }
  const { labels = {}, annotations = {}, ...others } = { ...metadata, ...changed };
  return {
    ...others,
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
}

function isTexts(value: unknown): boolean {
  return isMapping(value) && Object.values(value).every((text) => typeof text === 'string');
}
