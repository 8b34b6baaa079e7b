import { dropManagedFields, type KubernetesObject } from 'chancery';
import { compareKeys, goJson, goString, yieldToEventLoop } from 'chancery/internal';
import type { HookRequest } from '../hook-function.ts';
import type { ControllerSpec, HookVersion } from '../spec.ts';
import { CONTROLLER_TYPES } from './controller-type.ts';
import { goStructText, goValue } from './go-struct.ts';
import { type ObjectMap, objectMap, type TypedObjects } from './object-map.ts';

/**
 * The content of a request to a sync or finalize hook. For a decorator, the parent is the decorated
 * object.
 */
export interface SyncQuestion {
  readonly parent: KubernetesObject;
  /** Every declared type, including types without objects. */
  readonly children: Iterable<TypedObjects>;
  /** Every type in the rules of the customize hook. */
  readonly related: Iterable<TypedObjects>;
  readonly finalizing: boolean;
}

/** Creates the requests to one hook of a controller. */
export interface HookRequests {
  sync(question: SyncQuestion): HookRequest;
  customize(parent: KubernetesObject): HookRequest;
}

export interface HookRequestsOptions {
  readonly version: HookVersion;
  readonly managedFields: boolean;
}

/**
 * The requests of a CompositeController or DecoratorController. The field `controller` is written
 * as Go would write it.
 */
export function hookRequests(
  { kind, object }: Pick<ControllerSpec, 'kind' | 'object'>,
  { version, managedFields }: HookRequestsOptions,
): HookRequests {
  const shown = managedFields ? same : dropManagedFields;
  const type = CONTROLLER_TYPES[kind];
  const controller = goValue(shown(object), type);
  const controllerText = goStructText(controller, type);
  const names =
    kind === 'CompositeController'
      ? { parent: 'parent', children: 'children' }
      : { parent: 'object', children: 'attachments' };
  const mapOf = (types: Iterable<TypedObjects>, parent: KubernetesObject): ObjectMap =>
    objectMap(
      [...types].map(({ resource, objects }) => ({ resource, objects: objects.map(shown) })),
      parent,
      version,
    );
  return {
    sync({ parent: given, children, related, finalizing }) {
      const parent = shown(given);
      return request([
        ['controller', controller, () => [controllerText]],
        objectMember(names.parent, parent),
        mapMember(names.children, mapOf(children, parent)),
        mapMember('related', mapOf(related, parent)),
        ['finalizing', finalizing, () => [String(finalizing)]],
      ]);
    },
    customize: (parent) =>
      request([
        ['controller', controller, () => [controllerText]],
        objectMember('parent', shown(parent)),
      ]),
  };
}

function same(object: KubernetesObject): KubernetesObject {
  return object;
}

/** The name and value of a member, and a function that returns its JSON text in pieces. */
type Member = readonly [string, unknown, () => Iterable<string>];

function objectMember(name: string, object: KubernetesObject): Member {
  return [name, object, () => [goJson(object)]];
}

function mapMember(name: string, map: ObjectMap): Member {
  return [name, map, () => mapPieces(map)];
}

function* mapPieces(map: ObjectMap): Generator<string, void, undefined> {
  let before = '{';
  for (const [type, objects] of sortedEntries(map)) {
    yield `${before}${goString(type)}:`;
    before = ',';
    let separator = '{';
    for (const [key, object] of sortedEntries(objects)) {
      yield `${separator}${goString(key)}:${goJson(object)}`;
      separator = ',';
    }
    yield separator === '{' ? '{}' : '}';
  }
  yield before === '{' ? '{}' : '}';
}

function sortedEntries<T>(map: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(map).sort(([a], [b]) => compareKeys(a, b));
}

function request(members: readonly Member[]): HookRequest {
  let text: Promise<string> | undefined;
  return {
    value: Object.fromEntries(members.map(([name, value]) => [name, value])),
    text: () => {
      text ??= joinedInSlices(pieces(members));
      return text;
    },
  };
}

function* pieces(members: readonly Member[]): Generator<string, void, undefined> {
  let before = '{';
  for (const [name, , textOf] of members) {
    yield `${before}"${name}":`;
    yield* textOf();
    before = ',';
  }
  yield '}';
}

/**
 * Number of characters that are joined in one turn of the event loop. Joining them takes a few
 * milliseconds.
 */
const SLICE_CHARS = 262_144;

async function joinedInSlices(pieces: Iterable<string>): Promise<string> {
  const written: string[] = [];
  let chars = 0;
  for (const piece of pieces) {
    written.push(piece);
    chars += piece.length;
    if (chars >= SLICE_CHARS) {
      chars = 0;
      await yieldToEventLoop();
    }
  }
  return written.join('');
}
