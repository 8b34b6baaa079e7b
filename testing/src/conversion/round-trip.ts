import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject, Resource } from 'chancery';
import { fieldSchema, isMapping, OperatorError, Work } from 'chancery/internal-objects';
import {
  boundedText,
  type DefinedResource,
  fieldStep,
  type KeptField,
  keptAnnotation,
  keptFrom,
  type StructuralSchema,
  stepped,
  storedForm,
  variedObject,
} from 'chancery/internal-testing';

/** Options of `roundTrip`. */
export interface RoundTripOptions {
  /** The number of generated objects, divided among the versions. Default 1,000. */
  readonly objects?: number;
  /** The seed of the generator. Equal seeds generate equal objects. Default 1. */
  readonly seed?: number;
}

/** The result of `roundTrip`. */
export interface RoundTripReport {
  /** The number of conversions to another version and back that did not change the object. */
  readonly roundTrips: number;
  /**
   * The fields that were restored from an annotation, because the other version cannot express them, such as
   * `v1 → v1alpha1: .spec.tls`. The list is sorted. A test that compares this list detects a field that a
   * conversion function forgets.
   */
  readonly kept: readonly string[];
}

/** A resource that `customResource` has returned, with conversions. */
type Convertible = Resource &
  Pick<DefinedResource, 'definition' | 'convert'> & {
    readonly conversions: readonly { readonly older: string; readonly newer: string }[];
  };

/**
 * Converts generated objects of every version of a resource to every other version and back. The
 * objects must come back equal. A field that two neighbouring versions have at the same path must
 * not be lost between them.
 *
 * The objects are generated from the schemas: with and without each optional field, with a status,
 * labels, finalizers and owners. CEL rules are not evaluated, so the conversion functions may
 * receive objects that violate CEL rules.
 *
 * @param resource - a result of `customResource`, with `convert`.
 * @throws OperatorError `USER_CODE` at the first object that a conversion function refuses or
 * changes. The message contains the versions, the field, its value before and after, and the
 * object.
 */
export function roundTrip(
  resource: Convertible,
  { objects = 1_000, seed = 1 }: RoundTripOptions = {},
): RoundTripReport {
  const { convert, definition } = resource;
  const { versions } = definition.spec;
  if (convert === undefined) throw problem(`${definition.metadata.name} has no conversions`);
  const schemas = new Map(versions.map(({ name, schema }) => [name, schema.openAPIV3Schema]));
  const random = randomFrom(seed);
  const kept = new Set<string>();
  let roundTrips = 0;
  for (const from of schemas.keys()) {
    for (const object of generated(resource, from, Math.ceil(objects / schemas.size), random)) {
      for (const to of schemas.keys()) {
        if (to === from) continue;
        const pair = { from, to, schemas };
        const there = travelled(object, pair, convert);
        roundTrips += 1;
        if (!areNeighbours(resource, from, to)) continue;
        for (const path of fieldsKept(there, object, pair)) kept.add(path);
      }
    }
  }
  return { roundTrips, kept: [...kept].sort() };
}

function areNeighbours({ conversions }: Convertible, one: string, other: string): boolean {
  return conversions.some(
    ({ older, newer }) => (older === one && newer === other) || (older === other && newer === one),
  );
}

interface Pair {
  readonly from: string;
  readonly to: string;
  readonly schemas: ReadonlyMap<string, StructuralSchema>;
}

type Convert = NonNullable<DefinedResource['convert']>;

/**
 * Converts the object to the other version and back, and returns the object in the other version.
 *
 * @throws OperatorError `USER_CODE` when the object comes back changed.
 */
function travelled(
  object: KubernetesObject,
  { from, to, schemas }: Pair,
  convert: Convert,
): KubernetesObject {
  const there = attempted(() => convert(object, to), object);
  // Clients write back the object after pruning and defaulting, so the object is also tested in
  // that state.
  const written = storedForm(there, schemas.get(to) ?? {}, new Work(MAX_STEPS));
  for (const sent of [there, written as KubernetesObject]) {
    const back = attempted(() => convert(sent, from), object);
    const difference = firstDifference(metadataLast(object), metadataLast(back), '.');
    if (difference === undefined) continue;
    const { path, before, after } = difference;
    throw problem(
      `${from} → ${to} → ${from} changes ${path} from ${textOf(before)} to ${textOf(after)}, of ${textOf(object)}`,
    );
  }
  return there;
}

/** The step limit for pruning one object and adding its defaults. */
const MAX_STEPS = 1_000_000;

/** Compares metadata last, because labels and annotations often depend on another field. */
function metadataLast({ metadata, ...object }: KubernetesObject): object {
  return { ...object, metadata };
}

function attempted<T>(convert: () => T, object: KubernetesObject): T {
  try {
    return convert();
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? `${message} (${cause.message})` : message;
    throw problem(`${why}, of ${textOf(object)}`, error);
  }
}

/**
 * The fields of the object that the other version keeps only in an annotation.
 *
 * @throws OperatorError `USER_CODE` when the other version has a field at the same path, but the
 * conversion did not set it.
 */
function fieldsKept(
  there: KubernetesObject,
  object: KubernetesObject,
  { from, to, schemas }: Pair,
): readonly string[] {
  const annotation = there.metadata.annotations?.[keptAnnotation(from)];
  return keptFrom(annotation).map((field) => {
    const path = pathOf(field, schemas.get(from));
    const isForgotten = 'value' in field && !('insteadOf' in field);
    if (isForgotten && hasField(schemas.get(to), field)) {
      const way = hasValue(there, field) ? `${to} → ${from}` : `${from} → ${to}`;
      throw problem(
        `${way} loses ${path}, which both versions have: ${textOf(field.value)} of ${textOf(object)}`,
      );
    }
    return `${from} → ${to}: ${path}`;
  });
}

/** The path of a field, with `[]` for an item of a list, and `{}` for a value of a map. */
function pathOf({ path }: KeptField, schema: StructuralSchema | undefined): string {
  let at = schema;
  return path.reduce<string>((all, step) => {
    const inList = typeof step !== 'string';
    const isNamed = !inList && at?.properties !== undefined && Object.hasOwn(at.properties, step);
    const inMap = !inList && !isNamed && at?.additionalProperties !== undefined;
    at = inList ? at?.items : at && fieldSchema(at, step);
    return stepped(all, inList ? '[]' : inMap ? '{}' : fieldStep(step));
  }, '.');
}

function hasField(schema: StructuralSchema | undefined, { path }: KeptField): boolean {
  const found = path.reduce<StructuralSchema | undefined>(
    (at, step) => at && (typeof step === 'string' ? fieldSchema(at, step) : at.items),
    schema,
  );
  return found !== undefined;
}

/** True when the object has a value at the path, or below the first list on the path. */
function hasValue(object: KubernetesObject, { path }: KeptField): boolean {
  let at: unknown = object;
  for (const step of path) {
    if (typeof step !== 'string') break;
    if (!isMapping(at) || !Object.hasOwn(at, step)) return false;
    at = at[step];
  }
  return true;
}

interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

function firstDifference(before: unknown, after: unknown, path: string): Difference | undefined {
  if (isDeepStrictEqual(before, after)) return undefined;
  const [old, now] = [partsOf(before), partsOf(after)];
  if (old === undefined || now === undefined || Array.isArray(before) !== Array.isArray(after)) {
    return { path, before, after };
  }
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const step = (name: string): string => (Array.isArray(before) ? `[${name}]` : fieldStep(name));
  return names
    .map((name) => firstDifference(old.get(name), now.get(name), stepped(path, step(name))))
    .find((difference) => difference !== undefined);
}

/** The members or items of a value; undefined for a scalar. */
function partsOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (!isMapping(value) && !Array.isArray(value)) return undefined;
  return new Map(Object.entries(value));
}

/**
 * The largest number of attempts for one object. Few are needed, because most generated objects fit
 * their schema.
 */
const ATTEMPTS = 50;

function* generated(
  { definition }: Convertible,
  version: string,
  count: number,
  random: () => number,
): Generator<KubernetesObject> {
  const { group, names, versions } = definition.spec;
  const apiVersion = `${group}/${version}`;
  const schema = versions.find(({ name }) => name === version)?.schema.openAPIV3Schema ?? {};
  for (let at = 0; at < count; at += 1) {
    const name = `${names.singular}-${at + 1}`;
    const object = firstOf(ATTEMPTS, () =>
      variedObject({ apiVersion, kind: names.kind, name }, schema, random),
    );
    if (object === undefined) {
      throw problem(`no object fits the schema of ${version} after ${ATTEMPTS} attempts`);
    }
    yield object;
  }
}

function firstOf<T>(attempts: number, attempt: () => T | undefined): T | undefined {
  for (let at = 0; at < attempts; at += 1) {
    const found = attempt();
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns a generator of numbers from 0 to 1 with this seed: mulberry32, which is in the public domain. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The largest number of characters of a value in a message. */
const VALUE_CHARS = 4_000;

function textOf(value: unknown): string {
  return value === undefined ? 'nothing' : boundedText(JSON.stringify(value), VALUE_CHARS);
}

function problem(message: string, cause?: unknown): OperatorError {
  const options = { code: 'USER_CODE', layer: 'user-code' } as const;
  return new OperatorError(message, cause === undefined ? options : { ...options, cause });
}
