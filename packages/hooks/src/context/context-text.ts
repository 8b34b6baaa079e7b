import { splitKey } from 'chancery';
import type { Hook, KubernetesBinding, WatchEventType } from '../hook.ts';
import type { BindingEvent, BindingObject } from '../watch/binding-watch.ts';
import { bindingsShown, type ContextItem, groupOf, snapshotsOf } from './context-item.ts';

/**
 * The usual length of a piece of the text, in UTF-16 units. A large object can make a piece longer.
 */
const PIECE_CHARS = 65_536;

/** Names of the events in version v0 of the contract. */
const RESOURCE_EVENTS: Readonly<Record<WatchEventType, string>> = {
  Added: 'add',
  Modified: 'update',
  Deleted: 'delete',
};

/**
 * Writes items as the text of `BINDING_CONTEXT_PATH`: a JSON array on one line, with sorted keys.
 * The JSON of objects is inserted unchanged.
 *
 * The objects of each binding are read once, before the call returns, so that all items contain the
 * same state of the objects.
 */
export function contextText(
  hook: Hook,
  items: readonly ContextItem[],
  read: (binding: KubernetesBinding) => readonly BindingObject[],
): Iterable<string> {
  const { kubernetes, version } = hook.config;
  const readings = new Map<KubernetesBinding, readonly BindingObject[]>();
  for (const binding of items.flatMap((item) => bindingsShown(item, kubernetes))) {
    if (!readings.has(binding)) readings.set(binding, read(binding));
  }
  const itemText = version === 'v0' ? firstVersionText : currentText;
  return inPieces(
    arrayText(items, (item) =>
      itemText(item, kubernetes, (binding) => readings.get(binding) ?? []),
    ),
  );
}

type Text = Generator<string, void, undefined>;
type Reading = (binding: KubernetesBinding) => readonly BindingObject[];

function* inPieces(texts: Iterable<string>): Text {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length >= PIECE_CHARS) {
      yield piece;
      piece = '';
    }
  }
  yield `${piece}\n`;
}

function* arrayText<T>(values: readonly T[], textOf: (value: T) => Iterable<string>): Text {
  yield '[';
  for (const [at, value] of values.entries()) {
    if (at > 0) yield ',';
    yield* textOf(value);
  }
  yield ']';
}

/**
 * The JSON of an item in version v1. Keys are in alphabetical order: binding, filterResult,
 * fromVersion, groupName, object, objects, review, snapshots, toVersion, type, watchEvent.
 */
function* currentText(
  item: ContextItem,
  bindings: readonly KubernetesBinding[],
  reading: Reading,
): Text {
  if (item.type === 'onStartup') {
    yield '{"binding":"onStartup"}';
    return;
  }
  const group = groupOf(item);
  yield `{"binding":${JSON.stringify(item.binding.name)}`;
  if (item.type === 'Conversion') yield `,"fromVersion":${JSON.stringify(item.fromVersion)}`;
  if (group !== undefined) yield `,"groupName":${JSON.stringify(group)}`;
  else if (item.type === 'Event')
    yield membersOf(item.event.object)
      .map((text) => `,${text}`)
      .join('');
  else if (item.type === 'Synchronization') {
    yield ',"objects":';
    yield* arrayText(reading(item.binding), objectText);
  } else if ('review' in item) {
    yield ',"review":';
    yield* item.review;
  }
  const snapshots = snapshotsOf(item, bindings);
  if (snapshots.length > 0) yield* snapshotsText(snapshots, reading);
  if (item.type === 'Conversion') yield `,"toVersion":${JSON.stringify(item.toVersion)}`;
  yield `,"type":"${group === undefined ? item.type : 'Group'}"`;
  if (group === undefined && item.type === 'Event') yield `,"watchEvent":"${item.event.type}"`;
  yield '}';
}

function* snapshotsText(bindings: readonly KubernetesBinding[], reading: Reading): Text {
  yield ',"snapshots":{';
  for (const [at, binding] of bindings.entries()) {
    yield `${at > 0 ? ',' : ''}${JSON.stringify(binding.name)}:`;
    yield* arrayText(reading(binding), objectText);
  }
  yield '}';
}

function objectText(object: BindingObject): readonly string[] {
  return ['{', membersOf(object).join(','), '}'];
}

function membersOf({ objectText: whole, filterText }: BindingObject): readonly string[] {
  return [
    ...(filterText === undefined ? [] : [`"filterResult":${filterText}`]),
    ...(whole === undefined ? [] : [`"object":${whole}`]),
  ];
}

function* firstVersionText(item: ContextItem): Text {
  if (item.type === 'onStartup') yield '{"binding":"onStartup"}';
  else if (item.type === 'Event') yield firstVersionEvent(item.binding, item.event);
  else yield JSON.stringify({ binding: item.binding.name });
}

function firstVersionEvent(binding: KubernetesBinding, { type, object }: BindingEvent): string {
  const { namespace = '', name } = splitKey(object.key);
  return JSON.stringify({
    binding: binding.name,
    resourceEvent: RESOURCE_EVENTS[type],
    resourceKind: kindOf(object) ?? binding.kind,
    resourceName: name,
    resourceNamespace: namespace,
  });
}

/** The kind as the API server writes it. The binding may name the kind differently, such as `pods`. */
function kindOf({ objectText: whole }: BindingObject): string | undefined {
  if (whole === undefined) return undefined;
  const { kind } = JSON.parse(whole) as { readonly kind?: unknown };
  return typeof kind === 'string' ? kind : undefined;
}
